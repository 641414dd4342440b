package io.bloomguard.actuate;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.bloomguard.actuate.internal.OperatedFilter;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.FilterStatus;
import io.bloomguard.generation.RebuildProgress;
import io.bloomguard.generation.RebuildReport;
import io.bloomguard.generation.WindowStatus;
import io.bloomguard.generation.internal.SubjectTotals;
import io.bloomguard.guard.internal.Outcome;
import io.bloomguard.guard.internal.Reject;
import io.bloomguard.guard.internal.verify.Verification;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * A filter as the endpoint describes it. Null components are left out of the JSON.
 *
 * @param state the state; only {@code READY} rejects keys
 * @param warnings what keeps it from deciding or from taking keys, and what an operator should
 *     change, in whole sentences; left out if empty
 * @param reject {@code present} for a blacklist, null for a filter that rejects absent keys
 * @param mode what becomes of keys that it rejects: {@code enforce} or {@code observe}
 * @param verified the verdicts on rejections that this process let through
 * @param generation the number of the serving generation, 0 for none
 * @param backend the place of the bits, such as {@code local}
 * @param layout the lower-case name of the layout
 * @param blockWords 64-bit words among which the bits of a key lie, null without blocks
 * @param expectedInsertions distinct keys the serving generation is made for
 * @param estimatedElements distinct keys in it, estimated
 * @param bits m
 * @param hashes k
 * @param sizeBytes the size of its bits or counters, in bytes
 * @param fillRatio bits set over all bits, 0 to 1
 * @param designFillRatio the fill ratio that is expected with the expected insertions
 * @param falsePositiveProbability the probability as configured, and at the present fill
 * @param lastRebuild the last build that ended, in whichever process that shares the filter
 * @param rebuild the running build, in whichever process that shares the filter
 * @param outcomes how many keys ended how, at all entries of this process together
 * @param subjects all subjects in sum, where there is a filter for each; bits, hashes and
 *     expectedInsertions are then those of one, fillRatio and estimatedElements those of the median
 *     one, and sizeBytes is of all
 * @param window the generations of a window, null where the filter is none; then elements, bits,
 *     size and fill are those of its fullest generation, and the false-positive probabilities those
 *     of the window
 */
public record FilterDescriptor(
    FilterState state,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) List<String> warnings,
    @Nullable String reject,
    String mode,
    Verified verified,
    long generation,
    String backend,
    String layout,
    @Nullable Integer blockWords,
    long expectedInsertions,
    long estimatedElements,
    long bits,
    int hashes,
    long sizeBytes,
    double fillRatio,
    double designFillRatio,
    FalsePositiveProbability falsePositiveProbability,
    @Nullable LastRebuild lastRebuild,
    Rebuild rebuild,
    Map<String, Long> outcomes,
    @Nullable Subjects subjects,
    @Nullable Windowed window)
    implements OperationResponseBody {

  static FilterDescriptor of(OperatedFilter operated) {
    FilterReading now = new FilterReading(operated, System::nanoTime);
    FilterStatus status = now.status();
    FilterShape shape = status.shape();
    Map<String, Long> outcomes = new LinkedHashMap<>();
    for (Outcome outcome : Outcome.values()) {
      outcomes.put(outcome.tag(), now.guarded().counters().count(outcome));
    }
    return new FilterDescriptor(
        status.state(),
        operated.warnings(),
        now.isBlacklist() ? Reject.PRESENT.tag() : null,
        now.guarded().verification().mode().tag(),
        Verified.of(now.guarded().verification()),
        status.generation(),
        now.filter().store().backend(),
        lowerCase(shape.layout()),
        shape.blockWords() == 0 ? null : shape.blockWords(),
        shape.expectedInsertions(),
        status.estimatedElements(),
        shape.bits(),
        shape.hashes(),
        now.sizeBytes(),
        status.fillRatio(),
        shape.designFillRatio(),
        new FalsePositiveProbability(
            now.filter().settings().falsePositiveProbability(),
            status.expectedFalsePositiveProbability()),
        given(now.rebuilds().last(), LastRebuild::of),
        Rebuild.of(now.rebuilds().running(), now.filter().queuedRebuild().orElse(null)),
        outcomes,
        given(now.subjects(), Subjects::of),
        given(now.window(), Windowed::of));
  }

  private static <T, R> @Nullable R given(@Nullable T part, Function<T, R> description) {
    return part == null ? null : description.apply(part);
  }

  private static String lowerCase(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  /**
   * Filters by subject in sum.
   *
   * @param count subjects that live
   * @param bytes what they take of Redis' memory
   * @param maxCount the most subjects, as both bounds allow
   * @param maxBytes the most bytes
   * @param elements keys of all subjects, estimated
   * @param fill the fill ratios of a few subjects that were drawn at random
   */
  public record Subjects(
      long count, long bytes, long maxCount, long maxBytes, long elements, Fill fill) {

    static Subjects of(SubjectTotals totals) {
      return new Subjects(
          totals.count(),
          totals.bytes(),
          totals.maxCount(),
          totals.maxBytes(),
          totals.elements(),
          new Fill(totals.fillMedian(), totals.fillMax(), totals.sampled()));
    }

    /**
     * Fill ratios, 0 to 1.
     *
     * @param p50 the median
     * @param max the highest
     * @param sampled how many subjects were looked at
     */
    public record Fill(double p50, double max, int sampled) {}
  }

  /**
   * A window.
   *
   * @param lengthMs the time of one generation
   * @param count how many generations there are at most
   * @param live how many hold keys
   * @param elements the sum of their keys, estimated: one that came in three counts thrice
   * @param sizeBytes what they take together
   * @param early how many were begun before their time, by rotate-at-fill
   */
  public record Windowed(
      long lengthMs, int count, int live, long elements, long sizeBytes, long early) {

    static Windowed of(WindowStatus status) {
      return new Windowed(
          status.window().length().toMillis(),
          status.window().count(),
          status.live(),
          status.elements(),
          status.sizeBytes(),
          status.early());
    }
  }

  /**
   * Verdicts on rejections.
   *
   * @param confirmed the load found nothing
   * @param late it found a key that was still to arrive in the filter
   * @param wrong it found a key that should have been in the filter
   * @param spelling it found a row by another spelling of its key, which is in the filter
   */
  public record Verified(long confirmed, long late, long wrong, long spelling) {

    static Verified of(Verification verification) {
      return new Verified(
          verification.confirmed(),
          verification.late(),
          verification.wrong(),
          verification.spellings());
    }
  }

  /**
   * False-positive probabilities, 0 to 1.
   *
   * @param configured with the expected insertions, as it is configured
   * @param expected at the present fill
   */
  public record FalsePositiveProbability(double configured, double expected) {}

  /**
   * A build that has ended.
   *
   * @param run the identifier of the build
   * @param started by the clock of the process that built it
   * @param finished by the same clock
   * @param keys how many keys the source yielded
   * @param durationMs the time from start to finish, in milliseconds
   * @param outcome {@code succeeded}, {@code failed} or {@code cancelled}
   * @param trigger {@code warm_up}, {@code request}, {@code schedule}, {@code fill}, {@code
   *     recovery} or {@code change}
   * @param failure what went wrong, where it failed
   */
  public record LastRebuild(
      String run,
      Instant started,
      Instant finished,
      long keys,
      long durationMs,
      String outcome,
      String trigger,
      @Nullable String failure) {

    static LastRebuild of(RebuildReport report) {
      return new LastRebuild(
          report.run(),
          report.started(),
          report.finished(),
          report.keys(),
          report.duration().toMillis(),
          lowerCase(report.outcome()),
          lowerCase(report.trigger()),
          report.failure());
    }
  }

  /**
   * How far the running build has come.
   *
   * @param running whether a build runs in any process
   * @param queued true where none runs and one of this process waits for a thread
   * @param run its identifier, where one runs or waits
   * @param scanned keys read so far
   * @param total keys there are, about, where the source says
   * @param ratePerSecond keys a second since the start, 0 where none runs
   * @param etaSeconds seconds left at this rate, where the total is known
   */
  public record Rebuild(
      boolean running,
      @Nullable Boolean queued,
      @Nullable String run,
      long scanned,
      @Nullable Long total,
      double ratePerSecond,
      @Nullable Double etaSeconds) {

    static Rebuild of(RebuildProgress progress, @Nullable String waiting) {
      boolean running = progress.running();
      return new Rebuild(
          running,
          !running && waiting != null ? true : null,
          running ? progress.run() : waiting,
          progress.scanned(),
          progress.total(),
          progress.ratePerSecond(),
          progress.etaSeconds());
    }
  }
}
