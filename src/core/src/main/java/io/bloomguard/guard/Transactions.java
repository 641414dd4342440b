package io.bloomguard.guard;

import java.time.Duration;
import java.util.List;
import java.util.function.LongFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The application's transactions, as guards and entry points ask about them. */
public interface Transactions {

  /** The age of a transaction or session whose begin was not observed. */
  Duration UNKNOWN_AGE = Duration.ofDays(365);

  /** Where no session keeps reads. */
  LongFunction<@Nullable Long> NO_SESSIONS = moment -> null;

  /** For applications without transactions. */
  Transactions NONE =
      new Transactions() {
        @Override
        public boolean register(Runnable beforeCommit, Completion afterCompletion) {
          return false;
        }

        @Override
        public @Nullable Long readsSince() {
          return null;
        }

        @Override
        public Boundary boundary(String manager) {
          throw new IllegalArgumentException("the application has no transactions");
        }
      };

  /**
   * Hooks into the transaction of the calling thread, if there is one.
   *
   * @param beforeCommit runs before the commit; an exception from it fails the transaction
   * @param afterCompletion runs once the transaction has ended, whatever its outcome
   * @return false if no transaction is under way; neither hook runs then
   */
  boolean register(Runnable beforeCommit, Completion afterCompletion);

  /**
   * Leaves the wait for copies of a filter to the transaction of the calling thread, which waits
   * for all that were left to it right before its commit, after all that other hooks may add.
   *
   * @param wait for the copies that may lack keys of rows which the transaction writes
   * @return false if no transaction is under way whose commit is still to come and will wait; the
   *     caller then waits itself
   */
  default boolean awaitBeforeCommit(PendingAdd.Wait wait) {
    return false;
  }

  /** {@return whether the calling thread is in a transaction} */
  default boolean isActive() {
    return readsSince() != null;
  }

  /**
   * {@return whether the calling thread runs within the completion of a transaction, and in no
   * other one} What the transaction wrote is visible or undone by then; a statement made within the
   * completion is committed later.
   */
  default boolean isCompleting() {
    return false;
  }

  /**
   * {@return the earliest {@code System.nanoTime()} that what the calling thread reads may show:
   * the begin of its transaction, or of what else keeps reads} {@link #UNKNOWN_AGE} ago if only its
   * presence is known, null if there is none, so that each read is a new one.
   */
  @Nullable Long readsSince();

  /**
   * {@return the sessions that the calling thread uses, as {@link ReadSessions#used} tells them}
   * They need not be bound to it.
   */
  default LongFunction<@Nullable Long> used() {
    return NO_SESSIONS;
  }

  /**
   * {@return these transactions, with reads that may also come from {@code sessions}}
   *
   * @param sessions each kind of session
   */
  default Transactions reading(List<? extends ReadSessions> sessions) {
    return sessions.isEmpty()
        ? this
        : new SessionReads(this, sessions.toArray(ReadSessions[]::new));
  }

  /**
   * {@return the owner of the writes of a call: the transaction that the call was {@linkplain
   * #enter entered} into, otherwise the calling thread, to which its transaction is bound}
   */
  default Object owner() {
    return Thread.currentThread();
  }

  /**
   * Makes the calls on this thread belong to a transaction that is not bound to it, or to none of
   * these, until the scope is closed on this thread.
   *
   * @param carrier the context of a subscriber, which may carry such a transaction, or the {@link
   *     #owner} of calls on another thread
   * @return the end of the belonging
   */
  default Scope enter(Object carrier) {
    return Scope.NONE;
  }

  /**
   * {@return the runner of work in transactions of one manager}
   *
   * @param manager the name of a transaction manager; empty for the only one there is
   * @throws IllegalArgumentException if no call could ever be in a transaction; the message names
   *     what is missing
   */
  default Boundary boundary(String manager) {
    return ValueLoader::load;
  }

  /**
   * {@return the function that puts a {@code Mono} into a reactive transaction of one manager, or
   * into the one that its subscriber's context carries}
   *
   * @param manager the name of a reactive transaction manager; empty for the only one there is
   * @throws IllegalArgumentException if it is not known which manager begins the transaction; the
   *     message names what is missing
   */
  default UnaryOperator<Object> publisherBoundary(String manager) {
    throw new IllegalArgumentException("the application has no reactive transactions");
  }

  /** The end of a write. */
  enum End {
    /** The write is known to be visible. */
    COMMITTED,
    /** The write, or a part of it, is known to be undone, or to have failed. */
    ROLLED_BACK,
    /** The end was not seen: a statement may be under way, and commit later. */
    UNKNOWN
  }

  /** Runs work in a transaction. */
  @FunctionalInterface
  interface Boundary {

    /**
     * Runs {@code work} in the transaction of the calling thread. If there is none and one is
     * possible, the runner begins it, commits it when {@code work} returns, and rolls it back if
     * {@code work} throws.
     *
     * @param <T> the type of the result
     * @param <X> the exception of the work
     * @param work the work, run once on the calling thread
     * @return the result of {@code work}
     * @throws X the exception of {@code work}
     */
    <T, X extends Throwable> @Nullable T within(ValueLoader<T, X> work) throws X;
  }

  /** The id of a transaction in the log of its database. */
  @FunctionalInterface
  interface Id {

    /** That of an unknown transaction. */
    Id UNKNOWN = () -> null;

    /** {@return the id, after the commit; null if it is not known} */
    @Nullable String get();
  }

  /** A hook that runs when a transaction has ended. */
  @FunctionalInterface
  interface Completion {

    /**
     * Called once, on the thread that ended the transaction or another one that may wait.
     *
     * @param end the end of the transaction, as far as it is known
     */
    void completed(End end);
  }
}
