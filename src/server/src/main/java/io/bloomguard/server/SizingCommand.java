package io.bloomguard.server;

import io.bloomguard.server.Sizes.Load;
import io.bloomguard.server.Sizes.Size;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;

/**
 * The sizing call as a command, without a server: {@code sizing --insertions 1e10 --fpp 1e-4}.
 *
 * <p>It ends with 0, or with 2 and what is wrong on the error output.
 */
@Command(
    name = SizingCommand.NAME,
    description =
        "Prints the size of a filter for n keys in each layout, and the effect of overfilling it.",
    sortOptions = false)
final class SizingCommand implements Callable<Integer> {

  static final String NAME = "sizing";

  private static final List<String> UNITS = List.of("B", "KiB", "MiB", "GiB", "TiB", "PiB");
  private static final int STEP = 1024;
  private static final String ROW = "%-12s %10s %4s %12s %11s %11s %11s%n";

  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--insertions",
      paramLabel = "<n>",
      description = "Distinct keys, such as 1000000 or 1e10.")
  private @Nullable String insertions;

  @Option(
      names = "--fpp",
      paramLabel = "<p>",
      description = "Share of absent keys that pass when it holds n keys, such as 0.001 or 1e-4.")
  private @Nullable String fpp;

  @Option(
      names = "--key-bytes",
      paramLabel = "<bytes>",
      description = "Length of a key; adds the memory of an exact set of keys.")
  private @Nullable String keyBytes;

  @Option(names = "--json", description = "Prints the JSON of the server's sizing call.")
  private boolean json;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Prints the options.")
  private boolean unusedHelp;

  private SizingCommand() {}

  /** Whether the arguments of the server are those of this command. */
  static boolean isMeant(String[] args) {
    return args.length > 0 && args[0].equals(NAME);
  }

  /**
   * Runs it and returns its exit code.
   *
   * @param args of the server, the name of the command first
   */
  static int run(String[] args, PrintStream out, PrintStream err) {
    return new CommandLine(new SizingCommand())
        .setOut(writer(out))
        .setErr(writer(err))
        .execute(Arrays.copyOfRange(args, 1, args.length));
  }

  private static PrintWriter writer(PrintStream stream) {
    return new PrintWriter(stream, true, StandardCharsets.UTF_8);
  }

  @Override
  public Integer call() {
    CommandLine line = Objects.requireNonNull(spec).commandLine();
    Sizes sizes;
    try {
      sizes =
          Sizes.of(
              new SizingArgument("--insertions", insertions).wholeNumber(),
              new SizingArgument("--fpp", fpp).probability(),
              keyBytes == null ? null : new SizingArgument("--key-bytes", keyBytes).wholeNumber());
    } catch (IllegalArgumentException e) {
      throw new ParameterException(line, String.valueOf(e.getMessage()), e);
    }
    PrintWriter out = line.getOut();
    if (json) {
      out.println(JsonMapper.shared().writerWithDefaultPrettyPrinter().writeValueAsString(sizes));
    } else {
      print(sizes, out);
    }
    return CommandLine.ExitCode.OK;
  }

  private static void print(Sizes sizes, PrintWriter out) {
    out.printf(
        Locale.ROOT,
        "%,d keys at a false-positive probability of %s%n%n",
        sizes.insertions(),
        sizes.fpp());
    out.printf(
        Locale.ROOT, ROW, "layout", "bits a key", "k", "memory", "partitions", "p at n", "p at 2n");
    sizes.layouts().forEach((layout, size) -> print(layout, size, out));
    Sizes.Journal journal = sizes.journal();
    out.printf(
        Locale.ROOT,
        "%nThe journal: %d bytes an add in Redis, %d on the heap; %s in Redis for each add a second"
            + " and hour of journal-retention%n",
        journal.redisBytesPerAdd(),
        journal.heapBytesPerAdd(),
        memory(journal.redisBytesPerHour()));
    Sizes.Exact exact = sizes.exact();
    if (exact != null) {
      out.printf(
          Locale.ROOT,
          "%nAn exact set of keys of %,d bytes: %s%n",
          exact.keyBytes(),
          memory(exact.bytes()));
    }
  }

  private static void print(String layout, Size size, PrintWriter out) {
    out.printf(
        Locale.ROOT,
        ROW,
        layout,
        String.format(Locale.ROOT, "%.2f", size.bitsPerKey()),
        size.hashes(),
        memory(size.bytes()),
        size.partitions(),
        probability(size, 1),
        probability(size, 2));
  }

  private static String probability(Size size, double times) {
    for (Load load : size.overload()) {
      if (load.times() == times) {
        return String.format(Locale.ROOT, "%.3g", load.fpp());
      }
    }
    throw new IllegalArgumentException("The curve has no point at " + times);
  }

  private static String memory(long bytes) {
    double amount = bytes;
    int unit = 0;
    while (amount >= STEP && unit < UNITS.size() - 1) {
      amount /= STEP;
      unit++;
    }
    return String.format(Locale.ROOT, unit == 0 ? "%.0f %s" : "%.2f %s", amount, UNITS.get(unit));
  }
}
