(define (domain blocks)
  (:requirements :strips)
  (:predicates (on ?a ?b) (on-table ?a) (clear ?a) (holding ?a) (hand-empty))
  (:action pick-up
    :parameters (?a)
    :precondition (and (clear ?a) (on-table ?a) (hand-empty))
    :effect (and (holding ?a) (not (clear ?a)) (not (on-table ?a)) (not (hand-empty))))
  (:action put-down
    :parameters (?a)
    :precondition (holding ?a)
    :effect (and (clear ?a) (on-table ?a) (hand-empty) (not (holding ?a))))
  (:action stack
    :parameters (?a ?b)
    :precondition (and (holding ?a) (clear ?b))
    :effect (and (on ?a ?b) (clear ?a) (hand-empty) (not (holding ?a)) (not (clear ?b))))
  (:action unstack
    :parameters (?a ?b)
    :precondition (and (on ?a ?b) (clear ?a) (hand-empty))
    :effect (and (holding ?a) (clear ?b) (not (on ?a ?b)) (not (clear ?a)) (not (hand-empty)))))
