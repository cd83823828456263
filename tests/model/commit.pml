/*
 * How pods are committed to GPUs through one fence for the cluster, when scheduler processes may be slow, paused, or
 * wrong about who leads.
 *
 * No GPU may ever be held by more pods than may share it. README.md says what each part stands for and what is left
 * out; `run` explores the configurations and switches each rule off in turn to show that it is needed.
 *
 * Every request to the API server is one atomic step. Between any two steps every other process may run, or none for
 * ever. Takeovers, crashes, attempts, touches and deletions of the fence may happen any number of times: nothing is
 * counted but the revision of pods, and there are few pods.
 */

/* ---- Rules. 1: as the product does it. 0: left out, to see the harm. --------------------------------------------- */

#ifndef CAS         /* the fence is written only in the version that was read */
#define CAS 1
#endif
#ifndef LISTED      /* no Binding is sent before the fence lists the pod */
#define LISTED 1
#endif
#ifndef RVPRE       /* a Binding holds only for the version that the pod had when it was decided */
#define RVPRE 1
#endif
#ifndef TOUCH       /* a Binding whose outcome is unknown is outdated by changing the pod; otherwise the pod is read */
#define TOUCH 1
#endif
#ifndef SETTLED     /* the PUT that takes a bound pod off the list raises `settled` to where it was bound */
#define SETTLED 1
#endif
#ifndef SEEOTHERS   /* nothing is listed that clashes with what another release lists */
#define SEEOTHERS 1
#endif
#ifndef FRESH       /* nothing is listed that was decided on a view older than any record's `settled` */
#define FRESH 1
#endif
#ifndef LOOKAGAIN   /* ... unless it fits what has come into view since */
#define LOOKAGAIN 1
#endif
#ifndef RESUME      /* a new leader keeps its predecessor's entries until it knows what became of them */
#define RESUME 1
#endif
#ifndef UNSETTLED   /* nothing is listed while a fence that was made anew is marked as unsettled */
#define UNSETTLED 1
#endif
#ifndef TOUCHALL    /* only who has touched all pods that wait removes the mark */
#define TOUCHALL 1
#endif
#ifndef TOUCHLATE   /* ... also those that come into its view until that is as new as its takeover */
#define TOUCHLATE 1
#endif
#ifndef MARKSETTLED /* ... and with the same PUT `settled` is raised to that view */
#define MARKSETTLED 1
#endif
#ifndef DEADTOUCH   /* a silent release's entry is removed only after a touch of the pod */
#define DEADTOUCH 1
#endif
#ifndef DEADSETTLED /* ... and with the same PUT `settled` is raised to where it was bound */
#define DEADSETTLED 1
#endif
#ifndef UNCHANGED   /* ... and only if its record has not changed since the touch */
#define UNCHANGED 1
#endif
#ifndef MERGED      /* the `settled` of a record that is removed goes into the remover's */
#define MERGED 1
#endif
#ifndef UID         /* a pod is known by its UID, not by its name alone */
#define UID 1
#endif
#ifndef WHOLE       /* an entry with several pods stays until it is certain what became of each */
#define WHOLE 1
#endif

/* ---- Sizes. Process s and pod p belong to the releases s and p modulo RELEASES. ---------------------------------- */

#ifndef RELEASES
#define RELEASES 1
#endif
#ifndef PROCESSES
#define PROCESSES 2
#endif
#ifndef PODS
#define PODS 2
#endif
#ifndef GPUS           /* 1: all pods want it. 2: pod 0 wants the first, pod 2 the second and pod 1 both */
#define GPUS 1
#endif
#ifndef SHARED         /* how many pods of kind Shared there are, counted from pod 0; the others are Exclusive */
#define SHARED 0
#endif
#ifndef CAP            /* how many Shared pods one GPU takes */
#define CAP 2
#endif
#ifndef GANG           /* 1: pods 0 and 2 are listed with one entry */
#define GANG 0
#endif
#ifndef FENCEDELETIONS /* 1: somebody may delete the fence at any time */
#define FENCEDELETIONS 0
#endif
#ifndef SILENCE        /* 1: a release may be taken for silent at any time, rightly or not */
#define SILENCE 0
#endif
#ifndef RECREATION     /* 1: pod 0 may be deleted, and then pod 2 is made under the same name */
#define RECREATION 0
#endif

#define RELEASE(x) ((x) % RELEASES)
#define IS_SHARED(p) ((p) < SHARED)
#define SAME_GPU(p, q) ((p) != (q) && (GPUS == 1 || (p) == 1 || (q) == 1))

#if PODS == 2
#define FOR_EACH_POD(step) :: step(0) :: step(1)
#define ANY_POD(is, s, p) (is(s, p, 0) || is(s, p, 1))
#define NUMBER_OF_PODS(is, s, p) (is(s, p, 0) + is(s, p, 1))
#else
#define FOR_EACH_POD(step) :: step(0) :: step(1) :: step(2)
#define ANY_POD(is, s, p) (is(s, p, 0) || is(s, p, 1) || is(s, p, 2))
#define NUMBER_OF_PODS(is, s, p) (is(s, p, 0) + is(s, p, 1) + is(s, p, 2))
#endif

/* ---- What the API server stores ---------------------------------------------------------------------------------- */

/* Pods, by UID. What a view can miss has a revision: 0 is before everything, or never where it is about an end. */
byte revision;
bool is_made[PODS];
byte made_at[PODS];
byte bound_at[PODS];
byte gone_at[PODS];

/* Bindings on their way which name the version that the pod has: they arrive at any later time, or never. */
bool under_way[PODS];

/* The fence. A leader is a process number plus one; 0: nobody, or there is no record. */
bool fence;
bool unsettled;
byte leader[RELEASES];
byte settled[RELEASES];
bool listed[PODS];

/* ---- What the processes have in memory, all of it lost in a crash ------------------------------------------------ */

/* What a process knows about a pod that it is committing, or has touched for another reason. */
#define NONE 0
#define TOUCHED 1  /* since the fence was made anew */
#define DECIDED 2  /* on the view decided_on, to be listed */
#define CHECKED 3  /* without CAS only: the list was read, and has room */
#define ON_LIST 4  /* no Binding sent yet */
#define SENT 5     /* the Binding is on its way, or lost, or has arrived */
#define RESUMED 6  /* listed by a predecessor, which may have sent the Binding or may be about to */
#define IS_BOUND 7 /* as a touch has shown, and so is: */
#define IS_FREE 8  /* no Binding noted so far can succeed */

bool leads[PROCESSES]; /* as it believes */
byte view[PROCESSES];  /* the revision up to which it has seen pods */
byte decided_on[PROCESSES];
byte proof[PROCESSES]; /* what the view must reach before the mark goes */
byte flights[PROCESSES * PODS];
bool noted[PROCESSES * PODS]; /* the version that was noted is still the pod's */
#define FLIGHT(s, p) flights[(s) * PODS + (p)]
#define NOTED(s, p) noted[(s) * PODS + (p)]

byte i, j; /* of loops within a step; 0 between steps */

/* ---- The promise ------------------------------------------------------------------------------------------------- */

#define HOLDS(p) (bound_at[p] != 0 && gone_at[p] == 0)
#define BOTH_HOLD(s, p, q) (HOLDS(p) && HOLDS(q) && SAME_GPU(p, q) && !(IS_SHARED(p) && IS_SHARED(q)))
#define SHARES(s, p, q) (IS_SHARED(q) && HOLDS(q))
#define PROMISE (!ANY_POD(BOTH_HOLD, 0, 0) && !ANY_POD(BOTH_HOLD, 0, 1) && NUMBER_OF_PODS(SHARES, 0, 0) <= CAP)

/* ---- The network and people -------------------------------------------------------------------------------------- */

/* The pod gets another version. Instead of numbers that grow: what names the old one cannot succeed any more. */
inline change_version(p) {
  under_way[p] = 0;
  for (i : 0 .. PROCESSES - 1) { NOTED(i, p) = 0 };
  i = 0
}

inline binding_arrives(p) {
  d_step {
    under_way[p] ->
    if
    :: is_made[p] && bound_at[p] == 0 && gone_at[p] == 0 ->
       revision++;
       bound_at[p] = revision;
       printf("pod %d is bound at %d\n", p, revision)
    :: else
    fi;
    change_version(p);
    assert(PROMISE)
  }
}

active proctype Network() {
  do
  FOR_EACH_POD(binding_arrives)
  od
}

active proctype People() {
  do
#if FENCEDELETIONS
  :: d_step {
       fence ->
       fence = 0;
       unsettled = 0;
       for (i : 0 .. RELEASES - 1) { leader[i] = 0; settled[i] = 0 };
       for (i : 0 .. PODS - 1) { listed[i] = 0 };
       i = 0;
       printf("the fence is deleted\n")
     }
#endif
#if RECREATION
  :: d_step {
       gone_at[0] == 0 -> revision++; gone_at[0] = revision; change_version(0);
       printf("pod 0 is deleted at %d\n", revision)
     }
  :: d_step {
       gone_at[0] != 0 && !is_made[2] -> revision++; made_at[2] = revision; is_made[2] = 1;
       printf("pod 2 is made at %d, with the name of pod 0\n", revision)
     }
#endif
  :: false
  od
}

/* ---- What a process makes of its view ---------------------------------------------------------------------------- */

#define OURS(s, p) (RELEASE(p) == RELEASE(s))
#define LEADS (leads[me] && leader[RELEASE(me)] == me + 1)

#define WITHIN_VIEW(s, at) ((at) != 0 && (at) <= view[s])
#define SEES_END_OF(s, p) WITHIN_VIEW(s, gone_at[p])
#define SEES(s, p) (is_made[p] && made_at[p] <= view[s] && !SEES_END_OF(s, p))
#define SEES_BOUND(s, p) (SEES(s, p) && WITHIN_VIEW(s, bound_at[p]))
#define SEES_WAITING(s, p) (SEES(s, p) && !SEES_BOUND(s, p))

/* What the view says about an entry's pod; by name alone it may be about another one. */
#if UID
#define ENTRY_GONE(s, p) SEES_END_OF(s, p)
#define ENTRY_BOUND(s, p) SEES_BOUND(s, p)
#else
#define ENTRY_GONE(s, p) (SEES_END_OF(s, p) || (p == 2 && !SEES(s, 0) && !SEES(s, 2)))
#define ENTRY_BOUND(s, p) (SEES_BOUND(s, p) || (p == 2 && SEES_BOUND(s, 0)))
#endif

/* The view and what this process is committing leave room for p. */
#define TAKES(s, p, q) (SEES_BOUND(s, q) || (OURS(s, q) && FLIGHT(s, q) >= DECIDED))
#define IN_THE_WAY(s, p, q) (SAME_GPU(p, q) && TAKES(s, p, q) && !(IS_SHARED(p) && IS_SHARED(q)))
#define TAKES_A_SHARE(s, p, q) (IS_SHARED(q) && TAKES(s, p, q))
#define ROOM_TAKEN(s, p) NUMBER_OF_PODS(TAKES_A_SHARE, s, p)
#define HAS_ROOM(s, p) (!ANY_POD(IN_THE_WAY, s, p) && (!IS_SHARED(p) || ROOM_TAKEN(s, p) < CAP))
#define STILL_FITS(s, p) (!ANY_POD(IN_THE_WAY, s, p) && (!IS_SHARED(p) || ROOM_TAKEN(s, p) <= CAP))
#define PLACEABLE(s, p) (OURS(s, p) && FLIGHT(s, p) == NONE && SEES_WAITING(s, p) && HAS_ROOM(s, p))

/* One decision after the other; what is decided together is listed one after the other anyway. */
#define IS_BEING_DECIDED(s, p, q) (FLIGHT(s, q) == DECIDED || FLIGHT(s, q) == CHECKED)
#define MAY_DECIDE (LEADS && !ANY_POD(IS_BEING_DECIDED, me, 0))

/* In the version of the fence that is replaced. */
#define OTHERS_LIST(s, p, q) (SAME_GPU(p, q) && !OURS(s, q) && listed[q])
#if RELEASES == 1
#define IS_FRESH(s) (decided_on[s] >= settled[0])
#elif RELEASES == 2
#define IS_FRESH(s) (decided_on[s] >= settled[0] && decided_on[s] >= settled[1])
#else
#define IS_FRESH(s) (decided_on[s] >= settled[0] && decided_on[s] >= settled[1] && decided_on[s] >= settled[2])
#endif
#define MAY_LIST(p) (LEADS && (!unsettled || !UNSETTLED) && (!ANY_POD(OTHERS_LIST, me, p) || !SEEOTHERS) && \
                     (IS_FRESH(me) || !FRESH))

#define HAS_ENTRY(s, p) (OURS(s, p) && FLIGHT(s, p) >= ON_LIST)
#define IS_CERTAIN(s, p) (FLIGHT(s, p) >= IS_BOUND || ENTRY_BOUND(s, p) || ENTRY_GONE(s, p))

/* ---- Requests that a process makes ------------------------------------------------------------------------------- */

/* A PUT of our record, with the list as this process has it. What others knew about the record is out of date. */
inline put_record() {
  for (i : 0 .. PODS - 1) {
    if
    :: OURS(me, i) ->
       listed[i] = (LISTED && FLIGHT(me, i) >= ON_LIST);
       for (j : 0 .. PROCESSES - 1) {
         if
         :: UNCHANGED && !OURS(j, i) && FLIGHT(j, i) >= IS_BOUND -> FLIGHT(j, i) = NONE
         :: else
         fi
       }
    :: else
    fi
  };
  i = 0;
  j = 0
}

/* Part of a PUT. */
inline raise_settled(at) {
  if
  :: settled[RELEASE(me)] < at -> settled[RELEASE(me)] = at
  :: else
  fi
}

/* A pod that waits gets another version; the answer shows what it is. */
inline touch(p, answer) {
  if
  :: HOLDS(p) -> answer = IS_BOUND
  :: else ->
     answer = IS_FREE;
     if
     :: TOUCH && RVPRE -> change_version(p)
     :: else
     fi
  fi;
  printf("process %d touches pod %d: bound %d\n", me, p, HOLDS(p))
}

/* ---- Leading ----------------------------------------------------------------------------------------------------- */

/* By a PUT, at any time: nothing relies on the old leader having stopped. Its own view may be as old as it likes. */
inline take_over() {
  d_step {
    !leads[me] ->
    if
    :: !fence -> fence = 1; unsettled = 1
    :: else
    fi;
    leads[me] = 1;
    leader[RELEASE(me)] = me + 1;
    if
    :: unsettled && TOUCHLATE -> proof[me] = revision
    :: else
    fi;
    for (i : 0 .. PODS - 1) {
      if
      :: OURS(me, i) && listed[i] && RESUME -> FLIGHT(me, i) = RESUMED
      :: else
      fi
    };
    put_record();
    printf("process %d leads release %d, settled %d\n", me, RELEASE(me), settled[RELEASE(me)])
  }
}

/* A view is only used by who leads, so it need not grow before. */
inline look() {
  d_step { LEADS && view[me] < revision -> view[me]++; printf("process %d sees revision %d\n", me, view[me]) }
}

/* A crash, or the end of one that has lost; it starts again. Its Bindings are still on their way. */
inline end() {
  d_step {
    leads[me] ->
    if
    :: leader[RELEASE(me)] == me + 1 -> leader[RELEASE(me)] = 0
    :: else
    fi;
    leads[me] = 0;
    view[me] = 0;
    decided_on[me] = 0;
    proof[me] = 0;
    for (i : 0 .. PODS - 1) {
      if
      :: FLIGHT(me, i) != CHECKED -> FLIGHT(me, i) = NONE; NOTED(me, i) = 0
      :: else
      fi
    };
    i = 0;
    printf("process %d ends\n", me)
  }
}

/* ---- A fence that was made anew ---------------------------------------------------------------------------------- */

#define IS_UNTOUCHED(s, p, q) (SEES_WAITING(s, q) && FLIGHT(s, q) != TOUCHED)

inline touch_waiting(p) {
  d_step {
    LEADS && unsettled && SEES_WAITING(me, p) && FLIGHT(me, p) == NONE ->
    touch(p, j);
    FLIGHT(me, p) = (j == IS_FREE -> TOUCHED : NONE);
    j = 0
  }
}

inline remove_mark() {
  d_step {
    LEADS && unsettled && view[me] >= proof[me] && (!ANY_POD(IS_UNTOUCHED, me, 0) || !TOUCHALL) ->
    unsettled = 0;
    if
    :: MARKSETTLED -> raise_settled(view[me])
    :: else
    fi;
    for (i : 0 .. PROCESSES * PODS - 1) {
      if
      :: flights[i] == TOUCHED -> flights[i] = NONE
      :: else
      fi
    };
    for (i : 0 .. PROCESSES - 1) { proof[i] = 0 };
    i = 0;
    printf("process %d removes the mark, settled %d\n", me, settled[RELEASE(me)])
  }
}

/* ---- A commit ---------------------------------------------------------------------------------------------------- */

inline note(p) {
  FLIGHT(me, p) = DECIDED;
  NOTED(me, p) = 1;
  decided_on[me] = view[me];
  printf("process %d decides pod %d on view %d\n", me, p, view[me])
}

inline decide(p) {
  d_step { MAY_DECIDE && PLACEABLE(me, p) -> note(p) }
}

/* Another decision may be better. */
inline give_up(p) {
  d_step { LEADS && FLIGHT(me, p) == DECIDED -> FLIGHT(me, p) = NONE; NOTED(me, p) = 0; decided_on[me] = 0 }
}

/* Nothing that was seen since the decision is in the way, so it might as well have been decided now. */
inline look_again(p) {
  d_step {
    LEADS && FLIGHT(me, p) == DECIDED && decided_on[me] < view[me] && (STILL_FITS(me, p) || !LOOKAGAIN) ->
    decided_on[me] = view[me];
    printf("process %d looks at its decision about pod %d again, on view %d\n", me, p, view[me])
  }
}

inline list(p) {
  d_step {
    FLIGHT(me, p) == DECIDED && MAY_LIST(p) ->
    if
    :: CAS -> FLIGHT(me, p) = ON_LIST; decided_on[me] = 0; put_record(); printf("process %d lists pod %d\n", me, p)
    :: else -> FLIGHT(me, p) = CHECKED; printf("process %d has read the list for pod %d\n", me, p)
    fi
  }
}

/* Without CAS only: the fence is written whatever has happened to it since. */
inline list_late(p) {
  d_step {
    FLIGHT(me, p) == CHECKED ->
    FLIGHT(me, p) = ON_LIST;
    listed[p] = 1;
    leads[me] = 1;
    decided_on[me] = 0;
    printf("process %d lists pod %d late\n", me, p)
  }
}

inline send_binding(p) {
  d_step {
    OURS(me, p) && FLIGHT(me, p) == ON_LIST ->
    if
    :: NOTED(me, p) || !RVPRE -> under_way[p] = 1
    :: else
    fi;
    FLIGHT(me, p) = SENT;
    NOTED(me, p) = 0;
    printf("process %d sends the Binding for pod %d\n", me, p)
  }
}

inline touch_open(p) {
  d_step { LEADS && OURS(me, p) && (FLIGHT(me, p) == SENT || FLIGHT(me, p) == RESUMED) -> touch(p, FLIGHT(me, p)) }
}

/* The answer to the Binding says that it was not executed. */
inline hear_refusal(p) {
  d_step {
    LEADS && OURS(me, p) && FLIGHT(me, p) == SENT && !under_way[p] && bound_at[p] == 0 ->
    FLIGHT(me, p) = IS_FREE;
    printf("process %d hears that the Binding for pod %d was refused\n", me, p)
  }
}

/* Part of the PUT that takes p off the list. */
inline settle(p) {
  if
  :: SETTLED && (FLIGHT(me, p) == IS_BOUND || SEES_BOUND(me, p)) -> raise_settled(bound_at[p])
  :: else
  fi;
  FLIGHT(me, p) = NONE;
  NOTED(me, p) = 0;
  printf("process %d takes pod %d off the list, settled %d\n", me, p, settled[RELEASE(me)])
}

inline take_off(p) {
  d_step { LEADS && HAS_ENTRY(me, p) && IS_CERTAIN(me, p) -> settle(p); put_record() }
}

/* ---- The same for pods 0 and 2 as one entry ---------------------------------------------------------------------- */

inline decide_gang() {
  d_step { MAY_DECIDE && PLACEABLE(me, 0) && PLACEABLE(me, 2) -> note(0); note(2) }
}

inline give_up_gang() {
  d_step {
    LEADS && FLIGHT(me, 0) == DECIDED ->
    FLIGHT(me, 0) = NONE; NOTED(me, 0) = 0;
    FLIGHT(me, 2) = NONE; NOTED(me, 2) = 0;
    decided_on[me] = 0
  }
}

inline look_again_at_gang() {
  d_step {
    LEADS && FLIGHT(me, 0) == DECIDED && decided_on[me] < view[me] &&
    (STILL_FITS(me, 0) && STILL_FITS(me, 2) || !LOOKAGAIN) ->
    decided_on[me] = view[me]
  }
}

inline list_gang() {
  d_step {
    FLIGHT(me, 0) == DECIDED && MAY_LIST(0) && MAY_LIST(2) ->
    FLIGHT(me, 0) = ON_LIST;
    FLIGHT(me, 2) = ON_LIST;
    decided_on[me] = 0;
    put_record();
    printf("process %d lists pods 0 and 2\n", me)
  }
}

inline take_off_gang() {
  d_step {
    LEADS && HAS_ENTRY(me, 0) && HAS_ENTRY(me, 2) && IS_CERTAIN(me, 0) && (IS_CERTAIN(me, 2) || !WHOLE) ->
    settle(0);
    settle(2);
    put_record()
  }
}

/* ---- A release that is taken for silent -------------------------------------------------------------------------- */

inline touch_silent(p) {
  d_step {
    LEADS && !OURS(me, p) && listed[p] && FLIGHT(me, p) == NONE ->
    if
    :: DEADTOUCH -> touch(p, FLIGHT(me, p))
    :: else -> FLIGHT(me, p) = IS_FREE
    fi
  }
}

inline remove_silent(p) {
  d_step {
    LEADS && !OURS(me, p) && listed[p] && FLIGHT(me, p) >= IS_BOUND ->
    if
    :: DEADSETTLED && FLIGHT(me, p) == IS_BOUND -> raise_settled(bound_at[p])
    :: else
    fi;
    FLIGHT(me, p) = NONE;
    listed[p] = 0;
    printf("process %d removes pod %d from the silent release's list, settled %d\n", me, p, settled[RELEASE(me)])
  }
}

#define LISTS(s, r, q) (RELEASE(q) == r && listed[q])

inline remove_record(r) {
  d_step {
    LEADS && r != RELEASE(me) && !ANY_POD(LISTS, 0, r) && (leader[r] != 0 || settled[r] != 0) ->
    if
    :: MERGED -> raise_settled(settled[r])
    :: else
    fi;
    leader[r] = 0;
    settled[r] = 0;
    printf("process %d removes the record of release %d\n", me, r)
  }
}

proctype Scheduler(byte me) {
  do
  :: take_over()
  :: look()
  :: end()
  FOR_EACH_POD(touch_waiting)
  :: remove_mark()
#if GANG
  :: decide_gang()
  :: look_again_at_gang()
  :: give_up_gang()
  :: list_gang()
  :: take_off_gang()
  :: decide(1)
  :: look_again(1)
  :: give_up(1)
  :: list(1)
  :: take_off(1)
#else
  FOR_EACH_POD(decide)
  FOR_EACH_POD(look_again)
  FOR_EACH_POD(give_up)
  FOR_EACH_POD(list)
  FOR_EACH_POD(take_off)
#endif
#if !CAS
  FOR_EACH_POD(list_late)
#endif
  FOR_EACH_POD(send_binding)
  FOR_EACH_POD(touch_open)
  FOR_EACH_POD(hear_refusal)
#if SILENCE
  FOR_EACH_POD(touch_silent)
  FOR_EACH_POD(remove_silent)
  :: remove_record(0)
  :: remove_record(1)
#if RELEASES > 2
  :: remove_record(2)
#endif
#endif
  od
}

init {
  d_step {
    is_made[0] = 1;
    is_made[1] = 1;
    is_made[PODS - 1] = !RECREATION
  };
  atomic {
    run Scheduler(0);
    run Scheduler(1);
#if PROCESSES > 2
    run Scheduler(2);
#endif
#if PROCESSES > 3
    run Scheduler(3);
#endif
  }
}
