package io.bloomguard.aop.internal.call;

import io.bloomguard.guard.Failures;
import io.bloomguard.guard.ValueLoader;
import io.bloomguard.guard.internal.UnclearAnswer;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;

/**
 * The runs of a guarded method in one call, as its {@link Witness} has seen them: aspects between
 * guard and method may repeat it, leave it out, or answer in its place.
 *
 * <p>Only an answer that the last run has returned shows something of its key.
 */
final class Runs {

  private static final String ATTRIBUTE = Runs.class.getName();

  private final MethodInvocation call;
  private final AtomicReference<@Nullable Object @Nullable []> arguments = new AtomicReference<>();
  private volatile @Nullable Run last;

  Runs(MethodInvocation call) {
    this.call = call;
  }

  /** These, asked for by a call that is about to proceed; its copies share them. */
  Runs asked() {
    ((ProxyMethodInvocation) call).setUserAttribute(ATTRIBUTE, this);
    return this;
  }

  /** What the call answers that these are asked for by. */
  @Nullable Object of(ValueLoader<Object, Throwable> proceeding) throws Throwable {
    asked();
    try {
      return proceeding.load();
    } catch (Throwable e) {
      throw failure(e);
    }
  }

  /** Those that the guard has asked for; null if it only decides. */
  static @Nullable Runs in(MethodInvocation call) {
    return (Runs) ((ProxyMethodInvocation) call).getUserAttribute(ATTRIBUTE);
  }

  /** Whether they are of the same method and proxy. */
  boolean areOf(MethodInvocation other) {
    return call.getMethod().equals(other.getMethod())
        && ((ProxyMethodInvocation) call).getProxy() == ((ProxyMethodInvocation) other).getProxy();
  }

  /**
   * Notes a run as the last, unless an aspect has it run with other arguments than the first: that
   * answers for another key.
   */
  Run begin(MethodInvocation method) {
    Run run = new Run();
    @Nullable Object[] its = method.getArguments();
    boolean first = arguments.compareAndSet(null, its.clone());
    last = first || Arrays.deepEquals(arguments.get(), its) ? run : null;
    return run;
  }

  /** Whether the last run has returned that answer, or completed with it. */
  boolean returned(@Nullable Object answer) {
    Run run = last;
    return run != null && run.returned(answer);
  }

  /** The content of an answer, marked as unclear unless the last run has returned the answer. */
  @Nullable Object content(@Nullable Object answer, @Nullable Object content) {
    return returned(answer) ? content : new UnclearAnswer<>(content);
  }

  /** A failure of the call, marked as unclear unless the last run has failed with it. */
  Throwable failure(Throwable thrown) {
    Run run = last;
    Throwable own = run == null ? null : run.failure();
    return Failures.unwrapped(thrown) == own ? thrown : new UnclearAnswer.Failure(thrown, own);
  }

  /** The first element that the last run has published; null for none. */
  @Nullable Object first() {
    Run run = last;
    return run == null ? null : run.value;
  }

  /** One run of the method, or one subscription to what it returned. */
  static final class Run {

    /** What it returned, or the first element that it published. */
    private volatile @Nullable Object value;

    private volatile int elements;
    private volatile boolean ended;
    private volatile @Nullable Throwable failure;

    /**
     * Notes the value, and returns it, or what completes as it does: an aspect may complete a
     * future, as at a time limit, which would be taken for the method's own end.
     */
    @Nullable Object ended(@Nullable Object returned) {
      value = returned;
      ended = true;
      return returned instanceof CompletableFuture<?> future
              && future.getClass() == CompletableFuture.class // others may refuse completion
              && !future.isDone()
          ? followed(future)
          : returned;
    }

    private static <T extends @Nullable Object> CompletableFuture<T> followed(
        CompletableFuture<T> own) {
      CompletableFuture<T> follower = own.newIncompleteFuture();
      own.whenComplete(
          (result, failure) -> {
            if (failure == null) {
              follower.complete(result);
            } else {
              follower.completeExceptionally(failure);
            }
          });
      follower.whenComplete(
          (result, failure) -> {
            if (failure instanceof CancellationException) {
              own.cancel(true);
            }
          });
      return follower;
    }

    /** Notes that it failed, or its publisher. */
    void failed(Throwable thrown) {
      failure = thrown;
    }

    /** That of the method, or of the stage that it returned; null for none. */
    private @Nullable Throwable failure() {
      Throwable thrown = failure;
      if (thrown == null && value instanceof CompletionStage<?> stage) {
        CompletableFuture<?> future = stage.toCompletableFuture();
        thrown = future.isCompletedExceptionally() ? future.handle((any, e) -> e).join() : null;
      }
      return thrown == null ? null : Failures.unwrapped(thrown);
    }

    /** Notes an element. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // a publisher's signals come one after the other
    void published(Object element) {
      if (elements++ == 0) {
        value = element;
      }
    }

    /** Notes the end of the elements. */
    void ended() {
      ended = true;
    }

    private boolean returned(@Nullable Object answer) {
      if (!ended) {
        return false;
      }
      Object own = value;
      return Objects.equals(own, answer)
          || (own instanceof CompletionStage<?> stage
              && completed(stage.toCompletableFuture(), answer))
          || (answer instanceof List<?> all
              && all.size() == elements
              && (elements == 0 ? own == null : Objects.equals(own, all.get(0))));
    }

    private static boolean completed(CompletableFuture<?> stage, @Nullable Object answer) {
      return stage.isDone()
          && !stage.isCompletedExceptionally()
          && Objects.equals(stage.join(), answer);
    }
  }
}
