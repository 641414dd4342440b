package io.bloomguard.guard;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.bloomguard.guard.internal.Ask;
import io.bloomguard.guard.internal.EntryGuard;
import io.bloomguard.guard.internal.Outcome;
import io.bloomguard.guard.internal.Pass;
import java.lang.management.ManagementFactory;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a guard allocates on the ways that an attack takes, and a cached value. */
class GuardAllocationTest {

  private static final String[] KEYS =
      IntStream.range(0, 1_000).mapToObj(i -> "key-number-" + i).toArray(String[]::new);

  private static final KnownKeys STORE = new KnownKeys("1");

  static {
    STORE.inMemory = true;
  }

  private final Guards guards = Guards.over(STORE);
  private final EntryGuard<String> guard = guards.guard;
  private int went;

  /** One call for the i-th key. */
  private interface Call {
    boolean goesOn(int i);
  }

  @Test
  void aRejectionAllocatesNothingButItsQuestion() {
    @SuppressWarnings({"unchecked", "rawtypes"})
    Ask<String>[] asks = new Ask[KEYS.length];
    for (int i = 0; i < asks.length; i++) {
      asks[i] = i % 2 == 0 ? Ask.toPassOn(KEYS[i]).tried() : Ask.toLoad(KEYS[i]);
    }
    ValueLoader<String, RuntimeException> loader = () -> "row";
    assertThat(bytes(i -> guard.admit(KEYS[i]))).as("admit").isZero();
    assertThat(bytes(i -> guard.get(KEYS[i], loader) != null)).as("get").isZero();
    assertThat(bytes(i -> guard.call(KEYS[i], loader) != null)).as("call").isZero();
    assertThat(bytes(i -> goesOn(guard.ask(asks[i])))).as("ask").isZero();
    assertThat(bytes(i -> goesOnLater(guard.askLater(asks[i])))).as("ask later").isZero();
    assertThat(went).isZero();
    assertThat(guards.count(Outcome.REJECTED)).isEqualTo(guards.total());
  }

  @Test
  void aKeyThatGoesOnHasNothingBesidesItsPass() {
    Ask<String> ask = Ask.toPassOn("1").tried();
    assertThat(bytes(i -> goesOn(guard.ask(ask)))).as("ask").isLessThanOrEqualTo(24);
    assertThat(bytes(i -> goesOnLater(guard.askLater(ask))))
        .as("ask later, with a future")
        .isLessThanOrEqualTo(2 * 24);
  }

  @Test
  void aValueOnTheHeapIsFoundWithoutALoad() {
    ValueLoader<String, RuntimeException> loader = () -> "row";
    assertThat(guard.get("1", loader)).isEqualTo("row");
    assertThat(bytes(i -> guard.get("1", loader) != null))
        .as("request, look-up and answer")
        .isLessThanOrEqualTo(160);
  }

  private static boolean goesOn(Pass<String> pass) {
    try (pass) {
      return !pass.isEmpty();
    }
  }

  private static boolean goesOnLater(CompletableFuture<Pass<String>> pass) {
    return goesOn(pass.join());
  }

  /** The bytes of one call, at least. */
  private long bytes(Call call) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long thread = Thread.currentThread().getId();
    long least = Long.MAX_VALUE;
    // Some are allocated once, and by a class on its way to compiled code.
    for (int run = 0; run < 200 && least > 0; run++) {
      long before = threads.getThreadAllocatedBytes(thread);
      for (int i = 0; i < KEYS.length; i++) {
        went += call.goesOn(i) ? 1 : 0;
      }
      least = Math.min(least, threads.getThreadAllocatedBytes(thread) - before);
    }
    return least / KEYS.length;
  }
}
