package io.bloomguard.it.attacks.node;

import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.Membership;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * A node as a process that takes commands from its standard input.
 *
 * <p>{@code herd <guard|sync|locking> <key> <threads>} is answered with {@code complete}, {@code
 * open} with {@code <leases> <loads> <right answers> <a failure or ->}, and {@code end} ends it.
 * Answers begin with {@value #ANSWER}; all other lines are its log.
 */
public final class Node {

  public static final String ANSWER = "NODE ";

  /** The things that exist: {@code thing-0} and so on. */
  public static final int THINGS = 1_000;

  private final ConfigurableApplicationContext context;

  private Node(ConfigurableApplicationContext context) {
    this.context = context;
  }

  public static void main(String[] arguments) throws Exception {
    try (ConfigurableApplicationContext context =
            NodeApplication.start(
                sink -> {
                  for (int i = 0; i < THINGS; i++) {
                    sink.accept("thing-" + i);
                  }
                },
                List.of(arguments));
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in))) {
      Node node = new Node(context);
      node.awaitReady();
      answer("ready");
      node.obey(commands);
    }
  }

  private void awaitReady() throws InterruptedException {
    BloomGuard<Object> guard = context.getBean(BloomGuards.class).guard("things");
    while (guard.check("thing-0") != Membership.POSSIBLY_PRESENT) {
      Thread.sleep(20);
    }
  }

  private void obey(BufferedReader commands) throws IOException, InterruptedException {
    Herd herd = null;
    long before = 0;
    for (String line = commands.readLine(); line != null; line = commands.readLine()) {
      String[] words = line.split(" ");
      switch (words[0]) {
        case "herd" -> {
          before = leases();
          herd = herd(words[1], words[2], Integer.parseInt(words[3]));
          herd.awaitComplete();
          answer("complete");
        }
        case "open" -> {
          herd.open();
          String result = herd.result();
          answer((leases() - before) + " " + result);
        }
        default -> {
          return;
        }
      }
    }
  }

  private Herd herd(String entry, String key, int threads) {
    BloomGuard<String> guard = context.getBean(BloomGuards.class).guard("things", String.class);
    CachedThings cached = context.getBean(CachedThings.class);
    Function<Supplier<String>, String> ask =
        switch (entry) {
          case "guard" -> load -> guard.get(key, load::get);
          case "sync" -> load -> cached.find(key, load);
          case "locking" -> load -> cached.findLocked(key, load);
          default -> throw new IllegalArgumentException(entry);
        };
    return new Herd(threads, "the " + key, ask);
  }

  /** How often this process was given the permit to load. */
  private long leases() {
    Timer acquired =
        context
            .getBean(MeterRegistry.class)
            .find("bloomguard.mutex.wait")
            .tag("filter", "things")
            .tag("outcome", "acquired")
            .timer();
    return acquired == null ? 0 : acquired.count();
  }

  private static void answer(String text) {
    System.out.println(ANSWER + text);
  }
}
