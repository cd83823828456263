/*
 * How pods are committed to one GPU when scheduler processes may be slow, paused, or wrong about who leads.
 *
 * The GPU must never be held by more pods than may share it. README.md says what each part stands for and what is left
 * out; `run` explores the configurations and switches each rule off in turn to show that it is needed.
 *
 * Everything the API server stores is global, and every request to it is one atomic step. Whatever a process has read
 * is local to it and may be out of date at any time. Between any two steps every other process may run, or none for
 * ever.
 */

/* ---- Rules. 1: as the product does it. 0: left out, to see the harm. --------------------------------------------- */

#ifndef LISTED    /* a pod is written into the election Lease before anything is done for it */
#define LISTED 1
#endif
#ifndef RVPRE     /* a Binding names the version that the pod had before it was listed */
#define RVPRE 1
#endif
#ifndef TOUCH     /* an uncertain Binding is outdated by changing the pod; otherwise the pod is only read */
#define TOUCH 1
#endif
#ifndef TOUCHALL  /* where the list is lost, every pod counts as listed */
#define TOUCHALL 1
#endif
#ifndef FRESH     /* nothing is decided after a takeover before the view of pods is as new as the takeover */
#define FRESH 1
#endif
#ifndef LEASERULE /* another release's holder leaves a GPU Lease only when its pod is seen gone */
#define LEASERULE 1
#endif
#ifndef UIDPRE    /* a pod is known by its UID, not by its name alone */
#define UIDPRE 1
#endif
#ifndef SWAP      /* a GPU Lease is changed or deleted only in the version that was read */
#define SWAP 1
#endif
#ifndef CLOCK     /* a departure is only decided while leading, which a process knows from its clock */
#define CLOCK 1
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
#ifndef SHARED    /* how many pods of kind Shared there are, counted from pod 0; the others are Exclusive */
#define SHARED 0
#endif
#ifndef CAP       /* how many Shared pods one GPU takes */
#define CAP 2
#endif
#ifndef TAKEOVERS /* in all, as are the following bounds */
#define TAKEOVERS 2
#endif
#ifndef ATTEMPTS
#define ATTEMPTS 2
#endif
#ifndef PODDELETIONS
#define PODDELETIONS 0
#endif
#ifndef RECREATIONS
#define RECREATIONS 0
#endif
#ifndef ELECTIONDELETIONS
#define ELECTIONDELETIONS 0
#endif
#ifndef USERDELETES /* 1: somebody may delete the GPU Lease at any time, any number of times */
#define USERDELETES 0
#endif
#ifndef CLEANUPS  /* deletions of, or departures from, the GPU Lease that processes may send */
#define CLEANUPS 2
#endif

#define RELEASE(x) ((x) % RELEASES)
#define IS_SHARED(p) ((p) < SHARED)
#define LIST(r, p) listed[(r) * PODS + (p)]

/* ---- What the API server stores ---------------------------------------------------------------------------------- */

/* Pods, by name. Versions and UIDs grow for ever, also across a deletion, so none comes back. */
bool there[PODS];
bool bound[PODS];
byte uid[PODS];
byte version[PODS];

/*
 * The election Lease of each release. A write succeeds only in the version that the writer left behind, so all that
 * matters of the version is who wrote it: a process number plus one, or 0 where there is no Lease. The list names pods
 * by UID; 0: not on it.
 */
byte election[RELEASES];
byte listed[RELEASES * PODS];

/* The GPU Lease; version 0: there is none. A holder is a UID; 0: does not hold. Each write has a version of its own. */
byte lease;
bool lease_is_shared;
byte holder[PODS];

/* Bindings on their way, one slot per attempt: they arrive at any later time, in any order, or never. */
#define AWAITED 1
#define GIVEN_UP 2
byte sent[ATTEMPTS];
bool succeeded[ATTEMPTS];
byte to_pod[ATTEMPTS];
byte to_uid[ATTEMPTS];
byte at_version[ATTEMPTS];

/* Departures from the GPU Lease on their way, likewise. */
bool leaving[CLEANUPS];
byte leaving_pod[CLEANUPS];
byte leaving_version[CLEANUPS];

/* What has been used of the bounds. */
byte takeovers;
byte attempts;
byte cleanups;
byte pod_deletions;
byte recreations;
byte election_deletions;

/* ---- The promise ------------------------------------------------------------------------------------------------- */

#if PODS == 2
#define HOLDERS ((holder[0] != 0) + (holder[1] != 0))
#define BOUND (bound[0] + bound[1])
#define EXCLUSIVE_BOUND (EXCLUSIVE(0) || EXCLUSIVE(1))
#else
#define HOLDERS ((holder[0] != 0) + (holder[1] != 0) + (holder[2] != 0))
#define BOUND (bound[0] + bound[1] + bound[2])
#define EXCLUSIVE_BOUND (EXCLUSIVE(0) || EXCLUSIVE(1) || EXCLUSIVE(2))
#endif
#define EXCLUSIVE(p) (bound[p] && !IS_SHARED(p))

#define PROMISE (BOUND <= CAP && (BOUND <= 1 || !EXCLUSIVE_BOUND))

/* ---- The network: delivers whatever is under way, whenever it likes ---------------------------------------------- */

/* The API server binds a pod that is there and not bound, if the preconditions hold. */
inline deliver_binding(k) {
  if
  :: there[to_pod[k]] && !bound[to_pod[k]] && (!UIDPRE || uid[to_pod[k]] == to_uid[k]) &&
     (!RVPRE || version[to_pod[k]] == at_version[k]) ->
     bound[to_pod[k]] = 1;
     version[to_pod[k]]++;
     succeeded[k] = (sent[k] == AWAITED)
  :: else
  fi;
  assert(PROMISE);
  sent[k] = 0; to_pod[k] = 0; to_uid[k] = 0; at_version[k] = 0
}

#define VERSION_OF_ATTEMPT(k) (1 + (k))
#define VERSION_OF_DEPARTURE(k) (1 + ATTEMPTS + (k))

/* When the last holder leaves, that is the deletion of the Lease. */
inline deliver_departure(k) {
  leaving[k] = 0;
  if
  :: lease != 0 && holder[leaving_pod[k]] != 0 && (!SWAP || lease == leaving_version[k]) ->
     holder[leaving_pod[k]] = 0;
     if
     :: HOLDERS == 0 -> lease = 0; lease_is_shared = 0
     :: else -> lease = VERSION_OF_DEPARTURE(k)
     fi
  :: else
  fi;
  leaving_pod[k] = 0; leaving_version[k] = 0
}

active proctype Network() {
  do
  :: d_step { sent[0] -> deliver_binding(0) }
#if ATTEMPTS > 1
  :: d_step { sent[1] -> deliver_binding(1) }
#endif
#if ATTEMPTS > 2
  :: d_step { sent[2] -> deliver_binding(2) }
#endif
#if ATTEMPTS > 3
  :: d_step { sent[3] -> deliver_binding(3) }
#endif
  :: d_step { leaving[0] -> deliver_departure(0) }
#if CLEANUPS > 1
  :: d_step { leaving[1] -> deliver_departure(1) }
#endif
#if CLEANUPS > 2
  :: d_step { leaving[2] -> deliver_departure(2) }
#endif
  od
}

/* ---- People ------------------------------------------------------------------------------------------------------ */

/* Also what happens by itself: a pod that has ended frees its GPU as a deleted one does. */
inline delete_pod(p) {
  pod_deletions < PODDELETIONS && there[p] ->
  pod_deletions++;
  there[p] = 0;
  bound[p] = 0
}

inline create_again(p) {
  recreations < RECREATIONS && !there[p] ->
  recreations++;
  there[p] = 1;
  uid[p]++;
  version[p]++
}

active proctype People() {
  do
#if USERDELETES
  :: d_step { lease != 0 -> lease = 0; lease_is_shared = 0; holder[0] = 0; holder[1] = 0; holder[PODS - 1] = 0 }
#endif
#if ELECTIONDELETIONS
  :: d_step {
       election_deletions < ELECTIONDELETIONS && election[0] != 0 ->
       election_deletions++;
       election[0] = 0;
       LIST(0, 0) = 0; LIST(0, 1) = 0; LIST(0, PODS - 1) = 0
     }
#endif
#if PODDELETIONS
  :: d_step { delete_pod(0) }                   /* the pods are alike, so one of them will do */
#endif
#if RECREATIONS
  :: d_step { create_again(0) }
#endif
  :: false
  od
}

/* ---- A scheduler process ----------------------------------------------------------------------------------------- */

/* The view of a pod becomes what the pod is now. That it does so at any time, or never, makes every old view possible.
*/ inline look(p) {
  v_there[p] = there[p];
  v_bound[p] = bound[p];
  v_uid[p] = uid[p];
  v_version[p] = (there[p] && !bound[p] && RELEASE(p) == RELEASE(me) -> version[p] : 0)
}

/* As a process that has read nothing; without the rule FRESH it goes on with what it knew. */
inline look_at_nothing(p) {
  v_there[p] = 0;
  v_bound[p] = 0;
  v_uid[p] = 0;
  v_version[p] = 0
}

/* Outdates every Binding of the pod with this UID that was noted before; the answer shows what the pod is now. */
inline touch(p, wanted_uid) {
  if
  :: TOUCH && there[p] && !bound[p] && (!UIDPRE || uid[p] == wanted_uid) -> version[p]++
  :: else
  fi;
  look(p)
}

#if PODS == 2
#define V_BOUND (v_bound[0] + v_bound[1])
#define V_EXCLUSIVE_BOUND (V_EXCLUSIVE(0) || V_EXCLUSIVE(1))
#else
#define V_BOUND (v_bound[0] + v_bound[1] + v_bound[2])
#define V_EXCLUSIVE_BOUND (V_EXCLUSIVE(0) || V_EXCLUSIVE(1) || V_EXCLUSIVE(2))
#endif
#define V_EXCLUSIVE(p) (v_bound[p] && !IS_SHARED(p))

/* The pod waits, and the view says that the GPU has room for it. */
#define PLACEABLE(p) (v_there[p] && !v_bound[p] && \
                      (V_BOUND == 0 || (IS_SHARED(p) && V_BOUND < CAP && !V_EXCLUSIVE_BOUND)))

/* What the view says of the pod that a GPU Lease names. Not to have heard of it is not to have seen it gone. */
#define HOLDS(p) (v_there[p] && v_bound[p] && (!UIDPRE || v_uid[p] == holder[p]))
#define SEEN_GONE(p) (UIDPRE -> (v_uid[p] > holder[p] || (v_uid[p] == holder[p] && !v_there[p])) : !v_there[p])
#define MAY_GO(p) ((RELEASE(p) == RELEASE(me) || !LEASERULE) -> !HOLDS(p) : SEEN_GONE(p))

#define LEADS (election[RELEASE(me)] == me + 1)

inline clear_list() {
  LIST(RELEASE(me), 0) = 0; LIST(RELEASE(me), 1) = 0; LIST(RELEASE(me), PODS - 1) = 0
}

/* One of the Lease's holders must go: the request is made from what the Lease is now, and sent. */
inline send_departure(p) {
  cleanups < CLEANUPS && (LEADS || !CLOCK) && holder[p] != 0 && MAY_GO(p) ->
  leaving[cleanups] = 1;
  leaving_pod[cleanups] = p;
  leaving_version[cleanups] = lease;
  cleanups++
}

inline start_attempt(p) {
  attempts < ATTEMPTS && RELEASE(p) == RELEASE(me) && PLACEABLE(p) ->
  pod = p;
  noted_uid = v_uid[p];
  noted_version = v_version[p];
  attempt = attempts;
  attempts++
}

proctype Scheduler(byte me) {
  bool v_there[PODS], v_bound[PODS];
  byte v_uid[PODS], v_version[PODS];
  byte pod, noted_uid, noted_version, attempt;  /* the attempt under way */
  byte read_lease;                              /* the GPU Lease in the version that was read */
  bool list_is_lost;

  d_step { look(0); look(1); look(PODS - 1) };

candidate:
  atomic {
    if
    :: FRESH -> look_at_nothing(0); look_at_nothing(1); look_at_nothing(PODS - 1)
    :: else
    fi
  };
  /* Taking over is a write of the election Lease, at any time: nothing relies on the old leader having stopped. */
  atomic {
    takeovers < TAKEOVERS ->
    takeovers++;
    list_is_lost = (election[RELEASE(me)] == 0);
    election[RELEASE(me)] = me + 1;
    pod = 0
  };
  do
  :: pod < PODS ->
     d_step {
       if
       :: RELEASE(pod) == RELEASE(me) && LIST(RELEASE(me), pod) != 0 -> touch(pod, LIST(RELEASE(me), pod))
       :: RELEASE(pod) == RELEASE(me) && LIST(RELEASE(me), pod) == 0 && list_is_lost && TOUCHALL -> touch(pod, uid[pod])
       :: else
       fi;
       pod++
     }
  :: else -> break
  od;
  atomic {
    pod = 0;
    list_is_lost = 0;
    if
    :: FRESH -> look(0); look(1); look(PODS - 1)
    :: else
    fi
  };

leader:
  do
  :: d_step { look(0) }
  :: d_step { look(1) }
#if PODS > 2
  :: d_step { look(2) }
#endif
  :: d_step { send_departure(0) }
  :: d_step { send_departure(1) }
#if PODS > 2
  :: d_step { send_departure(2) }
#endif
  :: d_step { LEADS && (LIST(RELEASE(me), 0) || LIST(RELEASE(me), 1) || LIST(RELEASE(me), PODS - 1)) ->
              clear_list() }
  :: atomic { start_attempt(0); break }
  :: atomic { start_attempt(1); break }
#if PODS > 2
  :: atomic { start_attempt(2); break }
#endif
  :: goto candidate                             /* a crash, and a new start */
  od;

  /* 1. List the pod, if this process still leads. */
  if
  :: atomic {
       LEADS ->
       clear_list();
       if
       :: LISTED -> LIST(RELEASE(me), pod) = noted_uid
       :: else
       fi
     }
  :: atomic { !LEADS -> goto forget }
  fi;

  /* 2. Lock the GPU: make the Lease, or join one that is shared and has room. */
  if
  :: d_step {
       lease == 0 ->
       lease = VERSION_OF_ATTEMPT(attempt);
       lease_is_shared = IS_SHARED(pod);
       holder[pod] = noted_uid
     }
  :: atomic {
       lease != 0 && lease_is_shared && IS_SHARED(pod) && HOLDERS < CAP && holder[pod] == 0 ->
       read_lease = lease
     };
     if
     :: d_step {
          lease == read_lease || (!SWAP && lease != 0) ->
          lease = VERSION_OF_ATTEMPT(attempt);
          holder[pod] = noted_uid;
          read_lease = 0
        }
     :: atomic { lease != read_lease && (SWAP || lease == 0) -> read_lease = 0; goto forget }
     fi
  :: atomic {
       lease != 0 && !(lease_is_shared && IS_SHARED(pod) && HOLDERS < CAP && holder[pod] == 0) -> goto forget
     }
  fi;

  /* 3. Send the Binding. */
  d_step {
    sent[attempt] = AWAITED;
    to_pod[attempt] = pod;
    to_uid[attempt] = noted_uid;
    at_version[attempt] = noted_version
  };

  /* 4. Its answer is heard, or it is not, and then the pod is touched. */
  if
  :: d_step {
       !sent[attempt] ->
       if
       :: succeeded[attempt] && v_uid[pod] == noted_uid -> v_bound[pod] = 1; v_version[pod] = 0; succeeded[attempt] = 0
       :: else -> succeeded[attempt] = 0
       fi
     }
  :: d_step {
       succeeded[attempt] = 0;
       if
       :: sent[attempt] != 0 -> sent[attempt] = GIVEN_UP
       :: else
       fi;
       touch(pod, noted_uid)
     }
  fi;

forget:
  atomic { pod = 0; noted_uid = 0; noted_version = 0; attempt = 0 };
  if
  :: LEADS -> goto leader
  :: !LEADS -> goto candidate                   /* what has lost ends, and starts again */
  :: true -> goto leader                        /* and what has not noticed goes on */
  fi
}

init {
  d_step {
    there[0] = 1; there[1] = 1; there[PODS - 1] = 1;
    uid[0] = 1; uid[1] = 1; uid[PODS - 1] = 1;
    version[0] = 1; version[1] = 1; version[PODS - 1] = 1
  };
  atomic {
    run Scheduler(0);
    run Scheduler(1);
#if PROCESSES > 2
    run Scheduler(2);
#endif
  }
}
