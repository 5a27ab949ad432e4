(define (domain gripper)
  (:requirements :strips :typing)
  (:types room ball hand)
  (:predicates
    (at-robby ?r - room)
    (at ?b - ball ?r - room)
    (free ?h - hand)
    (carry ?b - ball ?h - hand))
  (:action move
    :parameters (?from ?to - room)
    :precondition (at-robby ?from)
    :effect (and (not (at-robby ?from)) (at-robby ?to)))
  (:action pick
    :parameters (?b - ball ?r - room ?h - hand)
    :precondition (and (at ?b ?r) (at-robby ?r) (free ?h))
    :effect (and (carry ?b ?h) (not (at ?b ?r)) (not (free ?h))))
  (:action drop
    :parameters (?b - ball ?r - room ?h - hand)
    :precondition (and (carry ?b ?h) (at-robby ?r))
    :effect (and (at ?b ?r) (free ?h) (not (carry ?b ?h)))))
