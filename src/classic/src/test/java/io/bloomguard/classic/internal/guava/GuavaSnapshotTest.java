package io.bloomguard.classic.internal.guava;

import static io.bloomguard.guard.Membership.ABSENT;
import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;
import static io.bloomguard.guard.Membership.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.fail;

import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnel;
import com.google.common.hash.Funnels;
import io.bloomguard.filter.CorruptFilterException;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyForm;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.Sizing;
import io.bloomguard.filter.internal.KeyFunnel;
import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.KeySource;
import io.bloomguard.generation.ManualClock;
import io.bloomguard.generation.RebuildTrigger;
import io.bloomguard.generation.internal.WarmUpMode;
import io.bloomguard.generation.internal.build.ManagedFilter;
import io.bloomguard.generation.internal.build.RebuildListener;
import io.bloomguard.generation.internal.build.TestGenerations;
import io.bloomguard.generation.internal.local.LocalGenerations;
import io.bloomguard.generation.internal.snapshot.Snapshot;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongFunction;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Files of Guava's programs as the snapshots of filters, and back. */
@ExtendWith(OutputCaptureExtension.class)
class GuavaSnapshotTest {

  private static final Duration DAY = Duration.ofHours(24);

  /** Of other dimensions than the files have. */
  private static final FilterShape CONFIGURED = Sizing.shape(Layout.GUAVA, 50_000, 0.02);

  @TempDir private Path directory;
  private final ManualClock clock = new ManualClock();
  private KeyFolding folding = KeyFolding.EXACT;
  private KeyFunnel funnel = KeyFunnel.LONG;
  private boolean trusted;
  private boolean onlyCopy;
  private WarmUpMode mode = WarmUpMode.NONE;
  private Path file;

  @BeforeEach
  void fileOfGuava() throws IOException {
    file = directory.resolve("items");
    write(Funnels.longFunnel(), Long::valueOf, 0, 2_000);
  }

  @Test
  void dimensionsAndAgeAreThoseOfTheFile() throws IOException {
    onlyCopy = true;
    LocalGenerations store = store();
    assertThat(store.check(1_999)).isEqualTo(POSSIBLY_PRESENT);
    assertThat(store.check(2_000)).isEqualTo(UNKNOWN);
    assertThat(store.status().shape().hashes()).isEqualTo(20);
    assertThat(store.status().shape().bits()).isEqualTo((Files.size(file) - 6) * 8);
    assertThat(store.status().estimatedElements()).isBetween(1_990L, 2_010L);
    assertThat(store.snapshotTime()).isEqualTo(clock.instant());
    assertThat(store.keyForm()).isEqualTo(KeyForm.LONG);
  }

  @Test
  void aTrustedOnlyCopyDeniesAtOnceAndIsWrittenForGuava() throws IOException {
    onlyCopy = true;
    trusted = true;
    LocalGenerations store = store();
    assertThat(store.status().state()).isEqualTo(FilterState.READY);
    assertThat(store.check(2_000)).isEqualTo(ABSENT);

    store.addAll(List.of("-7"));
    clock.pass(Duration.ofHours(1));
    store.save();

    BloomFilter<Long> guava = guava(Funnels.longFunnel());
    assertThat(guava.mightContain(-7L)).isTrue();
    assertThat(guava.mightContain(1_999L)).isTrue();
    assertThat(guava.mightContain(2_000L)).isFalse();
    assertThat(Files.getLastModifiedTime(file).toInstant()).isEqualTo(clock.instant());
    assertThat(store().snapshotTime()).isEqualTo(clock.instant());
  }

  @Test
  void theSourceProvesTheFileAndThenTrustCounts() {
    trusted = true;
    LocalGenerations store = store();
    assertThat(store.check(2_000)).isEqualTo(UNKNOWN);

    managed(store, sink -> numbers(sink, 0, 3_000)).start();

    assertThat(store.status().state()).isEqualTo(FilterState.READY);
    assertThat(store.check(7)).isEqualTo(POSSIBLY_PRESENT);
    assertThat(store.check(5_000)).isEqualTo(ABSENT);
  }

  @Test
  void aProvedFileThatIsNotTrustedDeniesNothing() {
    LocalGenerations store = store();
    managed(store, sink -> numbers(sink, 0, 3_000)).start();
    assertThatCode(() -> store.examine(() -> fail("It needs no keys any more")))
        .doesNotThrowAnyException();
    assertThat(store.check(5_000)).isEqualTo(UNKNOWN);
  }

  /** A sample ends the reading: what comes after it is not waited for. */
  @Test
  void aSampleIsAThousandKeys() {
    trusted = true;
    long[] yielded = new long[1];
    managed(
            store(),
            sink -> {
              for (long key = 0; key < 1_000_000; key++) {
                yielded[0] = key;
                sink.accept(key);
              }
            })
        .start();
    assertThat(yielded[0]).isEqualTo(1_000);
  }

  /** The file holds the numbers as texts, the filter asks with numbers. */
  @Test
  void aWrongFunnelIsRefutedAndTheFileLeftAsItIs(CapturedOutput output) throws IOException {
    write(Funnels.stringFunnel(StandardCharsets.UTF_8), Long::toString, 0, 2_000);
    byte[] form = Files.readAllBytes(file);
    trusted = true;
    mode = WarmUpMode.BACKGROUND;
    LocalGenerations store = store();
    managed(store, sink -> numbers(sink, 0, 2_000)).start();

    assertThat(output).contains("it was filled with another funnel", "left as it is");
    assertThat(store.snapshotTime()).isNull();
    assertThat(store.check(1_999)).isEqualTo(POSSIBLY_PRESENT);
    assertThat(store.check(2_000)).isEqualTo(ABSENT);
    store.save();
    assertThat(Files.readAllBytes(file)).isEqualTo(form);
  }

  @Test
  void aWrongFunnelNeverDeniesWhileNoBuildIsThrough() throws IOException {
    write(Funnels.unencodedCharsFunnel(), Long::toString, 0, 2_000);
    trusted = true;
    LocalGenerations store = store();
    managed(store, sink -> numbers(sink, 0, 2_000)).start();
    assertThat(store.check(1_999)).isEqualTo(UNKNOWN);
    assertThat(store.status().state()).isEqualTo(FilterState.EMPTY);
  }

  /** As well as the wrong funnel: the file has "Item-1", the filter looks for "item-1". */
  @Test
  void keysThatAreFoldedOtherwiseAreRefuted() throws IOException {
    write(Funnels.stringFunnel(StandardCharsets.UTF_8), i -> "Item-" + i, 0, 2_000);
    funnel = KeyFunnel.STRING_UTF8;
    folding = KeyFolding.parse("lower.none.none");
    trusted = true;
    LocalGenerations store = store();
    KeySource source =
        sink -> {
          for (int i = 0; i < 2_000; i++) {
            sink.accept("Item-" + i);
          }
        };
    managed(store, source).start();
    assertThat(store.check("Item-1")).isEqualTo(UNKNOWN);
    assertThat(store.status().state()).isEqualTo(FilterState.EMPTY);
  }

  @Test
  void aSourceThatFailsProvesNothingAndTheNextBuildTriesAgain(CapturedOutput output)
      throws IOException {
    trusted = true;
    byte[] form = Files.readAllBytes(file);
    AtomicBoolean down = new AtomicBoolean(true);
    LocalGenerations store = store();
    ManagedFilter managed =
        managed(
            store,
            sink -> {
              if (down.get()) {
                throw new IOException("no route");
              }
              numbers(sink, 0, 2_000);
            });
    managed.start();
    assertThat(output).contains("could not be proved by its source");
    assertThat(store.check(1_999)).isEqualTo(POSSIBLY_PRESENT);
    assertThat(store.check(2_000)).isEqualTo(UNKNOWN);
    store.save();
    assertThat(Files.readAllBytes(file)).isEqualTo(form);

    down.set(false);
    managed.requestRebuild(RebuildTrigger.REQUEST);
    assertThatCode(() -> store.examine(() -> fail("It needs no keys any more")))
        .doesNotThrowAnyException();
    assertThat(store.check(2_000)).isEqualTo(ABSENT);
    BloomFilter<Long> guava = guava(Funnels.longFunnel());
    assertThat(Files.size(file)).isNotEqualTo(form.length);
    assertThat(guava.mightContain(1_999L)).isTrue();
    assertThat(guava.mightContain(2_000L)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"truncated", "longer", "text", "old", "future"})
  void aRefusedFileIsNeverWrittenOver(String how, CapturedOutput output) throws IOException {
    byte[] form = Files.readAllBytes(file);
    byte[] bad =
        switch (how) {
          case "truncated" -> Arrays.copyOf(form, form.length - 8);
          case "longer" -> Arrays.copyOf(form, form.length + 8);
          case "text" -> "Bloomguard".getBytes(StandardCharsets.UTF_8);
          default -> form;
        };
    Files.write(file, bad);
    Duration age =
        switch (how) {
          case "old" -> Duration.ofHours(25);
          case "future" -> Duration.ofHours(-1);
          default -> Duration.ZERO;
        };
    Files.setLastModifiedTime(file, FileTime.from(clock.instant().minus(age)));
    trusted = true;
    mode = WarmUpMode.BACKGROUND;
    LocalGenerations store = store();
    assertThat(store.check(7)).isEqualTo(UNKNOWN);
    assertThat(output).contains("is refused", "left as it is until you mend or delete it");

    managed(store, sink -> numbers(sink, 0, 2_000)).start();
    assertThat(store.check(2_000)).isEqualTo(ABSENT);
    store.save();
    assertThat(Files.readAllBytes(file)).isEqualTo(bad);
  }

  @Test
  void moreBitsThanTheHeapMayHoldAreRefused() {
    GuavaSnapshot snapshot = new GuavaSnapshot(CONFIGURED, KeyFolding.EXACT, KeyFunnel.LONG, 1_000);
    assertThatExceptionOfType(CorruptFilterException.class)
        .isThrownBy(() -> snapshot.read(file, clock.instant(), DAY))
        .withMessageContaining("more than the 1000 that may be read");
  }

  /** Each reading is of one of the two files, whole, whatever the other program does. */
  @Test
  void aFileThatIsReplacedMeanwhileIsReadWhole() throws Exception {
    byte[] one = Files.readAllBytes(file);
    write(Funnels.longFunnel(), Long::valueOf, 10_000, 15_000);
    byte[] other = Files.readAllBytes(file);
    GuavaSnapshot snapshot =
        new GuavaSnapshot(CONFIGURED, KeyFolding.EXACT, KeyFunnel.LONG, 1 << 20);
    AtomicBoolean over = new AtomicBoolean();
    Thread writer =
        new Thread(
            () -> {
              for (boolean odd = true; !over.get(); odd = !odd) {
                replace(odd ? one : other);
              }
            });
    writer.start();
    int whole = 0;
    try {
      for (int i = 0; i < 500; i++) {
        try {
          GuavaFilter bits = (GuavaFilter) snapshot.read(file, clock.instant(), DAY).bits();
          ByteArrayOutputStream form = new ByteArrayOutputStream();
          bits.writeBits(form);
          assertThat(form.toByteArray()).isIn(one, other);
          whole++;
        } catch (CorruptFilterException e) {
          assertThat(e).hasMessageContaining("changed while it was read");
        }
      }
    } finally {
      over.set(true);
      writer.join();
    }
    assertThat(whole).isPositive();
  }

  @Test
  void evidenceIsWhatChanceDoesNotExplain() {
    assertThat(new FunnelEvidence(1_000, 900, 0.3).proves()).isTrue();
    assertThat(new FunnelEvidence(1_000, 550, 0.001).proves()).isTrue();
    assertThat(new FunnelEvidence(3, 3, 0.5).proves()).isFalse();
    assertThat(new FunnelEvidence(3, 3, 0.5).refutes()).isFalse();
    assertThat(new FunnelEvidence(3, 3, 0.001).proves()).isTrue();
    assertThat(new FunnelEvidence(1, 1, 0).proves()).isTrue();
    assertThat(new FunnelEvidence(1_000, 499, 0.001).refutes()).isTrue();
    assertThat(new FunnelEvidence(1_000, 1_000, 1).proves()).isFalse();
    assertThat(new FunnelEvidence(0, 0, 0.001).proves()).isFalse();
    assertThat(new FunnelEvidence(0, 0, 0.001).refutes()).isFalse();
  }

  private LocalGenerations store() {
    return new LocalGenerations(
        "items",
        shape -> GuavaFilter.create(shape, folding, funnel),
        CONFIGURED,
        Duration.ofMinutes(10),
        TestGenerations.journal("items"),
        1,
        clock::nanos,
        new Snapshot(
            "items",
            file,
            new GuavaSnapshot(CONFIGURED, folding, funnel),
            DAY,
            trusted,
            onlyCopy,
            clock));
  }

  private ManagedFilter managed(LocalGenerations store, KeySource source) {
    return TestGenerations.managed(
        TestGenerations.settings(
            "items",
            Layout.GUAVA,
            CONFIGURED.expectedInsertions(),
            CONFIGURED.falsePositiveProbability(),
            mode,
            Duration.ZERO,
            0.5,
            new KeyRules(64).with(funnel.form())),
        store,
        source,
        Runnable::run,
        clock,
        RebuildListener.NONE);
  }

  private static void numbers(KeySource.KeySink sink, long from, long to) {
    for (long key = from; key < to; key++) {
      sink.accept(key);
    }
  }

  private <T> void write(Funnel<? super T> kind, LongFunction<T> key, long from, long to)
      throws IOException {
    BloomFilter<T> guava = BloomFilter.create(kind, to - from, 1e-6);
    for (long i = from; i < to; i++) {
      guava.put(key.apply(i));
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    guava.writeTo(out);
    replace(out.toByteArray());
  }

  /** As a program should: beside its place, then renamed. */
  private void replace(byte[] form) {
    try {
      Path temporary = directory.resolve("items.other");
      Files.write(temporary, form);
      Files.setLastModifiedTime(temporary, FileTime.from(clock.instant()));
      Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private <T> BloomFilter<T> guava(Funnel<? super T> kind) throws IOException {
    return BloomFilter.readFrom(new ByteArrayInputStream(Files.readAllBytes(file)), kind);
  }
}
