(define (domain delivery)
  (:requirements :strips :typing :negative-preconditions :action-costs)
  (:types place thing - object
          truck parcel - thing)
  (:predicates
    (road ?from ?to - place)
    (at ?x - thing ?p - place)
    (in ?x - parcel ?t - truck)
    (full ?t - truck))
  (:functions (length ?from ?to - place) - number (total-cost) - number)
  (:action drive
    :parameters (?t - truck ?from ?to - place)
    :precondition (and (at ?t ?from) (road ?from ?to))
    :effect (and (at ?t ?to) (not (at ?t ?from)) (increase (total-cost) (length ?from ?to))))
  (:action load
    :parameters (?x - parcel ?t - truck ?p - place)
    :precondition (and (at ?x ?p) (at ?t ?p) (not (full ?t)))
    :effect (and (in ?x ?t) (full ?t) (not (at ?x ?p)) (increase (total-cost) 1)))
  (:action unload
    :parameters (?x - parcel ?t - truck ?p - place)
    :precondition (and (in ?x ?t) (at ?t ?p))
    :effect (and (at ?x ?p) (not (in ?x ?t)) (not (full ?t)) (increase (total-cost) 1))))
