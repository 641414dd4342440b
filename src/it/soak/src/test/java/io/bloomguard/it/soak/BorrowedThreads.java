package io.bloomguard.it.soak;

import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Looks for threads that are not Bloomguard's to block, and that wait in its code.
 *
 * <p>These are the common pool's (or the thread that a task gets where the pool is too small for
 * it), the scheduler of {@code CompletableFuture}, the event loops of the Redis client, and those
 * on which the application's own futures end. A wait counts if it is the same one at two looks.
 */
final class BorrowedThreads implements Runnable {

  private static final Pattern BORROWED =
      Pattern.compile(
          "ForkJoinPool\\.commonPool-.*|Thread-\\d+|CompletableFutureDelayScheduler"
              + "|lettuce-.*|soak-load");

  private static final long BETWEEN_LOOKS_MILLIS = 20;
  private static final int DEPTH = 80;

  private final List<Jvm> jvms;
  private final Tally tally;

  BorrowedThreads(List<Jvm> jvms, Tally tally) {
    this.jvms = jvms;
    this.tally = tally;
  }

  /** Looks once at all threads of all processes. */
  @Override
  public void run() {
    for (Jvm jvm : jvms) {
      try {
        look(jvm);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  private void look(Jvm jvm) throws InterruptedException {
    ThreadMXBean threads = jvm.threads();
    for (ThreadInfo thread : threads.dumpAllThreads(false, false, DEPTH)) {
      tally.count("stacks", jvm.name());
      if (BORROWED.matcher(thread.getThreadName()).matches() && waitsInOurCode(thread)) {
        TimeUnit.MILLISECONDS.sleep(BETWEEN_LOOKS_MILLIS);
        ThreadInfo again = threads.getThreadInfo(thread.getThreadId(), DEPTH);
        if (again != null && isSameWait(thread, again)) {
          tally.count("waits of borrowed threads", jvm.name());
          tally.wrong("blocked in " + jvm.name() + ": " + describe(again));
        }
      }
    }
  }

  private static boolean waitsInOurCode(ThreadInfo thread) {
    return switch (thread.getThreadState()) {
      case BLOCKED, WAITING, TIMED_WAITING ->
          Arrays.stream(thread.getStackTrace()).anyMatch(BorrowedThreads::isOurs);
      default -> false;
    };
  }

  private static boolean isSameWait(ThreadInfo first, ThreadInfo second) {
    return waitsInOurCode(second)
        && first.getWaitedCount() == second.getWaitedCount()
        && first.getBlockedCount() == second.getBlockedCount();
  }

  private static boolean isOurs(StackTraceElement frame) {
    String name = frame.getClassName();
    return name.startsWith("io.bloomguard.") && !name.startsWith("io.bloomguard.it.");
  }

  private static String describe(ThreadInfo thread) {
    return thread.getThreadName().replaceAll("\\d+", "#")
        + " at "
        + Arrays.stream(thread.getStackTrace())
            .filter(BorrowedThreads::isOurs)
            .limit(4)
            .map(frame -> frame.getFileName() + ":" + frame.getLineNumber())
            .collect(Collectors.joining(" < "));
  }
}
