package io.bloomguard.generation.internal.local;

import static io.bloomguard.guard.Membership.ABSENT;
import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;
import static io.bloomguard.guard.Membership.UNKNOWN;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.Sizing;
import io.bloomguard.filter.UnkeyedHash;
import io.bloomguard.filter.internal.BlockGeometry;
import io.bloomguard.filter.internal.BlockedFilter;
import io.bloomguard.filter.internal.MembershipFilter;
import io.bloomguard.filter.internal.MembershipFilters;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.ManualClock;
import io.bloomguard.generation.internal.FeedRecord;
import io.bloomguard.generation.internal.build.TestGenerations;
import io.bloomguard.generation.internal.snapshot.BlockedSnapshot;
import io.bloomguard.generation.internal.snapshot.FormerFiles;
import io.bloomguard.generation.internal.snapshot.Snapshot;
import io.bloomguard.generation.internal.snapshot.SnapshotForm;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.image.ImagePlan;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** What a local filter leaves on the disk, and what the next process believes of it. */
@ExtendWith(OutputCaptureExtension.class)
class SnapshotTest {

  private static final Duration RETENTION = Duration.ofMinutes(10);
  private static final Duration DAY = Duration.ofHours(24);
  private static final HashSecret SECRET = HashSecret.parse("000102030405060708090a0b0c0d0e0f");
  private static final FilterShape SMALL = Sizing.shape(Layout.BLOCKED, 20, 1e-6);

  /** Larger than a buffer and no whole number of them. */
  private static final FilterShape LARGE = Sizing.shape(Layout.BLOCKED, 100_000, 1e-9);

  @TempDir private Path directory;
  private final ManualClock clock = new ManualClock();
  private HashSecret secret = SECRET;
  private KeyHash hash = KeyHash.SIPHASH_1_3;
  private String name = "items";
  private FilterShape configured = SMALL;
  private boolean trusted;
  private boolean onlyCopy;

  @Test
  void whatWasBuiltIsPossibleInTheNextProcessAndNothingIsDenied() {
    configured = LARGE;
    build(store(), 0, 100_000);

    LocalGenerations next = store();

    assertThat(LongStream.range(0, 100_000)).allMatch(key -> next.check(key) == POSSIBLY_PRESENT);
    assertThat(next.check("never")).isEqualTo(UNKNOWN);
    assertThat(next.check(-1)).isEqualTo(UNKNOWN);
    assertThat(next.checkAll(List.of("7", "never"))).containsExactly(POSSIBLY_PRESENT, UNKNOWN);
    assertThat(next.explain("never").membership()).isEqualTo(UNKNOWN);
    assertThat(next.explain("never").reason()).contains("snapshot");
    assertThat(next.status().state()).isEqualTo(FilterState.DOUBTFUL);
    assertThat(next.status().estimatedElements()).isBetween(97_000L, 103_000L);
    assertThat(next.snapshotTime()).isEqualTo(clock.instant());
  }

  @Test
  void numberOfKeysReadOutlivesTheProcess() {
    try (GenerationStore.Build build = store().beginBuild(configured)) {
      build.publish(1_000);
    }
    assertThat(store().keysRead()).isEqualTo(1_000);
  }

  @Test
  void aBuildEndsTheDoubtAndLosesNoAddThatCameMeanwhile() {
    configured = LARGE;
    build(store(), 0, 10);
    LocalGenerations next = store();
    next.addAll(List.of("before"));

    try (GenerationStore.Build build = next.beginBuild(LARGE)) {
      assertThat(next.status().state()).isEqualTo(FilterState.WARMING);
      next.addAll(List.of("during"));
      assertThat(next.checkAll(List.of("before", "during", "5", "never")))
          .containsExactly(POSSIBLY_PRESENT, POSSIBLY_PRESENT, POSSIBLY_PRESENT, UNKNOWN);
      build.addAll(new long[] {5}, 1);
      build.publish();
    }

    assertThat(next.checkAll(List.of("before", "during", "5", "6", "never")))
        .containsExactly(POSSIBLY_PRESENT, POSSIBLY_PRESENT, POSSIBLY_PRESENT, ABSENT, ABSENT);
    assertThat(next.status().state()).isEqualTo(FilterState.READY);
    assertThat(next.snapshotTime()).isNull();
    assertThat(next.rollback()).as("a snapshot is nothing to roll back to").isFalse();
    assertThat(store().checkAll(List.of("before", "during", "6")))
        .as("the file is that of the build")
        .containsExactly(POSSIBLY_PRESENT, POSSIBLY_PRESENT, UNKNOWN);
  }

  @Test
  void aTrustedSnapshotDeniesAtOnce() {
    trusted = true;
    configured = LARGE;
    build(store(), 0, 10);
    LocalGenerations next = store();

    assertThat(next.checkAll(List.of("7", "never"))).containsExactly(POSSIBLY_PRESENT, ABSENT);
    assertThat(next.check(-1)).isEqualTo(ABSENT);
    assertThat(next.status().state()).isEqualTo(FilterState.READY);
    assertThat(next.snapshotTime()).isNotNull();
  }

  @Test
  void everyFlippedByteIsRefused(CapturedOutput output) throws IOException {
    byte[] form = written();
    for (int i = 0; i < form.length; i++) {
      for (int flip : new int[] {0x01, 0x80, 0xff}) {
        byte[] damaged = form.clone();
        damaged[i] ^= (byte) flip;
        Files.write(file(), damaged);
        assertThat(store().status().generation()).as("byte %d ^ %x", i, flip).isZero();
      }
    }
    assertThat(output).contains("'items'").contains(file() + " is refused").contains("checksum");
  }

  @Test
  void everyTruncationAndEveryTailIsRefused(CapturedOutput output) throws IOException {
    byte[] form = written();
    for (int length = 0; length <= form.length + 1; length++) {
      Files.write(file(), Arrays.copyOf(form, length));
      boolean whole = length == form.length;
      assertThat(store().status().generation()).as("%d bytes", length).isEqualTo(whole ? 1 : 0);
    }
    assertThat(output).contains("truncated").contains("bytes behind its end");
  }

  @Test
  void aForeignFileIsRefusedWithWhatDiffers(CapturedOutput output) throws IOException {
    written();

    name = "orders";
    assertRefused();
    assertThat(output).contains("'orders'").contains("filter is items, expected orders");
    name = "items";

    secret = HashSecret.parse("f".repeat(32));
    assertRefused();
    assertThat(output).contains("secret is " + SECRET.id() + ", expected");
    secret = SECRET;
    hash = KeyHash.SIPHASH_2_4;
    assertRefused();
    assertThat(output).contains("hash is siphash-1-3, expected siphash-2-4");
    hash = KeyHash.SIPHASH_1_3;

    for (FilterShape other :
        List.of(
            Sizing.blocked(21, 1e-6, 8),
            Sizing.blocked(10 * 3, 1e-6, 8),
            Sizing.blocked(20, 1e-5, 8),
            Sizing.blocked(20, 1e-6, 4),
            Sizing.shape(Layout.COUNTING, 20, 1e-6))) {
      configured = other;
      assertRefused();
    }
    assertThat(output)
        .contains("n is 20, expected 21")
        .contains("p is 1.0E-6, expected 1.0E-5")
        .contains("block is 8, expected 4")
        .contains("layout is BLOCKED, expected COUNTING");
    assertThat(output).doesNotContain("000102030405");
  }

  /** Of an earlier version: the same bits mean other keys. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void fileWithAHashThatIsNoMoreIsRefusedAndDeniesNothing(
      boolean withoutSource, CapturedOutput output) throws IOException {
    onlyCopy = withoutSource;
    trusted = true;
    MembershipFilter filter = MembershipFilters.create(SMALL, new UnkeyedHash());
    LongStream.range(0, 20).forEach(filter::add);
    Files.write(file(), FormerFiles.form(name, (BlockedFilter) filter, clock.instant(), 20, null));

    assertThat(store().checkAll(List.of("7", "never"))).containsOnly(UNKNOWN);
    assertThat(output)
        .contains(file() + " is refused", "hash is wyhash-final-4, expected siphash-1-3");
  }

  @Test
  void aShapeThatGrewFromTheConfiguredOneIsServed() {
    FilterShape grown = Sizing.shape(Layout.BLOCKED, 160, 1e-6);
    LocalGenerations store = store();
    try (GenerationStore.Build build = store.beginBuild(grown)) {
      build.addAll(new long[] {7}, 1);
      build.publish();
    }
    assertThat(store().check(7)).isEqualTo(POSSIBLY_PRESENT);
    assertThat(store().status().shape()).isEqualTo(grown);
  }

  /** A header that promises more than the file has must not cost the memory it promises. */
  @Test
  void aShapeLargerThanTheFileIsRefusedByItsShape(CapturedOutput output) throws IOException {
    BlockedFilter large =
        new BlockedFilter(Sizing.shape(Layout.BLOCKED, 20 << 10, 1e-6), hash.hasher(secret));
    byte[] form = FormerFiles.form(name, large, clock.instant(), 20, null);
    Files.write(file(), Arrays.copyOf(form, 1_000));

    assertRefused();
    assertThat(output).contains("n is 20480, expected 20");
  }

  @Test
  void theAgeIsThatInTheFile(CapturedOutput output) throws IOException {
    written();
    clock.pass(DAY);
    assertThat(store().status().generation()).isEqualTo(1);
    clock.pass(Duration.ofMillis(1));
    assertRefused();
    assertThat(output).contains("was written PT24H0.001S ago, but may be at most PT24H old");

    clock.pass(DAY.plusSeconds(1).negated());
    assertRefused();
    assertThat(output).contains("was written PT0.999S in the future");
  }

  @Test
  void aWriteThatFailsInTheMiddleLeavesTheFormerFileAndNothingElse(CapturedOutput output)
      throws IOException {
    byte[] form = written();
    MembershipFilter filter = MembershipFilters.create(SMALL, hash.hasher(secret));

    snapshot(failing(new IOException("disk full"))).write(filter, 0, null);
    snapshot(failing(null)).write(filter, 0, null);

    assertThat(Files.readAllBytes(file())).isEqualTo(form);
    assertThat(files()).containsExactly("items.snapshot");
    assertThat(output).contains("could not be written, the former one stays").contains("disk full");
  }

  /** The disk fills up in the middle of the build's write: what was built serves all the same. */
  @Test
  void aDirectoryThatVanishedCostsABuildNothing(CapturedOutput output) throws IOException {
    LocalGenerations store = store();
    Files.delete(directory);
    try {
      build(store, 0, 20);
      assertThat(store.check(7)).isEqualTo(POSSIBLY_PRESENT);
      assertThat(store.status().state()).isEqualTo(FilterState.READY);
      assertThat(output).contains(file() + " could not be written").contains("NoSuchFile");
    } finally {
      Files.createDirectory(directory);
    }
  }

  @Test
  void whatAKilledWriterLeftIsDeletedAndTheFormerFileServed() throws IOException {
    byte[] form = written();
    Files.write(directory.resolve("items.snapshot.123456789.tmp"), Arrays.copyOf(form, 100));
    Files.writeString(directory.resolve("items.snapshot.secret"), "not ours to delete");
    Files.writeString(directory.resolve("items.snapshot.old.1.tmp"), "another's");

    assertThat(store().check(7)).isEqualTo(POSSIBLY_PRESENT);
    assertThat(files())
        .containsExactlyInAnyOrder(
            "items.snapshot", "items.snapshot.secret", "items.snapshot.old.1.tmp");
  }

  @Test
  void theFileIsItsOwnersAlone() throws IOException {
    written();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
        .isEqualTo("rw-------");
  }

  @Test
  void anEndThatIsCleanKeepsWhatWasAdded() {
    LocalGenerations store = store();
    build(store, 0, 5);
    store.addAll(List.of("added"));
    assertThat(store().check("added")).isEqualTo(UNKNOWN);

    store.save();

    assertThat(store().check("added")).isEqualTo(POSSIBLY_PRESENT);
  }

  @Test
  void aSnapshotThatDeniesNothingTakesNoNewClaim() throws IOException {
    written();
    LocalGenerations store = store();
    assertThatExceptionOfType(AddFailedException.class)
        .isThrownBy(() -> store.beginAdd(List.of("late"), "batch"))
        .withMessageContaining("cannot tell which keys are new");
    build(store, 0, 20);
    assertThat(store.beginAdd(List.of("late"), "batch").isNew()).containsExactly(true);
  }

  @Test
  void aPositionOfTheFeedIsThatOfTheContent() {
    trusted = true;
    LocalGenerations store = store();
    FeedRecord record = store.feedRecord();
    long reader = record.claim().reader();
    record.begin(reader, "0:1");
    buildAfter(1, store);
    record.advance(reader, "0:7", Duration.ZERO);
    store.save();

    FeedRecord.Entry next = store().feedRecord().read();

    assertThat(next.position()).isEqualTo("0:7");
    assertThat(next.isCovered()).isTrue();
    assertThat(next.age()).as("nothing is known of what came meanwhile").isNull();
  }

  @Test
  void withoutABuildAfterItsBeginNoPositionOfTheFeedIsKept() {
    LocalGenerations store = store();
    FeedRecord record = store.feedRecord();
    long reader = record.claim().reader();
    record.begin(reader, "0:1");
    buildAfter(1, store);
    record.begin(reader, "0:7");
    store.save();
    assertThat(store().feedRecord().read()).isEqualTo(FeedRecord.Entry.NONE);

    buildAfter(0, store);
    assertThat(store().feedRecord().read()).isEqualTo(FeedRecord.Entry.NONE);

    buildAfter(2, store);
    assertThat(store().feedRecord().read().position()).isEqualTo("0:7");
  }

  @Test
  void everyFlippedByteAndTruncationOfAPositionIsRefused(CapturedOutput output) throws IOException {
    byte[] without = written();
    LocalGenerations store = store();
    store.feedRecord().begin(store.feedRecord().claim().reader(), "0:123456");
    buildAfter(1, store);
    byte[] form = Files.readAllBytes(file());
    for (int at = without.length; at < form.length; at++) {
      Files.write(file(), Arrays.copyOf(form, at));
      assertThat(store().feedRecord().read().position()).as("%d bytes", at).isNull();
      byte[] flipped = form.clone();
      flipped[at] ^= 1;
      Files.write(file(), flipped);
      assertThat(store().status().generation()).as("byte %d", at).isZero();
    }
    assertThat(output).contains("bytes behind its end");
  }

  private void buildAfter(long begun, LocalGenerations store) {
    try (GenerationStore.Build build = store.beginBuild(configured)) {
      build.follows(begun);
      build.addAll(LongStream.range(0, 20).toArray(), 20);
      build.publish();
    }
    store.feedRecord().built(begun);
  }

  /** Else an application that restarts daily would trust the same old keys for ever. */
  @Test
  void savingWhatWasOnlyRestoredDoesNotMakeItYounger() throws IOException {
    byte[] form = written();
    clock.pass(Duration.ofHours(20));
    store().save();
    assertThat(Files.readAllBytes(file())).isEqualTo(form);
  }

  @Test
  void withoutASourceAnEndThatIsCleanKeepsEverything(CapturedOutput output) {
    onlyCopy = true;
    LocalGenerations first = store();
    first.serveEmpty(SMALL);
    assertThat(first.check("a")).as("a first start knows that nothing was added").isEqualTo(ABSENT);
    first.addAll(List.of("a"));
    first.save();
    clock.pass(Duration.ofHours(20));

    LocalGenerations second = store();
    second.serveEmpty(SMALL);
    assertThat(second.checkAll(List.of("a", "b"))).containsExactly(POSSIBLY_PRESENT, UNKNOWN);
    assertThat(output).contains("has no source").contains("warm-up.trust-snapshot");
    second.addAll(List.of("b"));
    second.save();
    clock.pass(Duration.ofHours(20));

    trusted = true;
    assertThat(store().checkAll(List.of("a", "b", "c")))
        .containsExactly(POSSIBLY_PRESENT, POSSIBLY_PRESENT, ABSENT);
  }

  @Test
  void withoutASourceACrashAfterTheFirstStartDeniesNothing() {
    onlyCopy = true;
    LocalGenerations first = store();
    first.serveEmpty(SMALL);
    first.addAll(List.of("a"));

    LocalGenerations afterCrash = store();
    afterCrash.serveEmpty(SMALL);

    assertThat(afterCrash.check("a")).isEqualTo(UNKNOWN);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void withoutASourceARefusedFileIsLeftAloneAndNothingIsDenied(boolean trust, CapturedOutput output)
      throws IOException {
    onlyCopy = true;
    trusted = trust;
    byte[] form = written();
    form[form.length - 1] ^= 1;
    Files.write(file(), form);

    LocalGenerations store = store();
    store.serveEmpty(SMALL);
    store.addAll(List.of("new"));
    store.save();

    assertThat(store.checkAll(List.of("new", "7"))).containsExactly(POSSIBLY_PRESENT, UNKNOWN);
    assertThat(store.status().state()).isEqualTo(FilterState.DOUBTFUL);
    assertThat(Files.readAllBytes(file())).isEqualTo(form);
    assertThat(output).contains("no source to read the keys from").contains("mend or delete");
  }

  /** With the time at which it was written, however late it is read. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aFileOfAnEarlierVersionIsReadOnceAndRewritten(boolean withoutSource) throws IOException {
    onlyCopy = withoutSource;
    trusted = true;
    BlockedFilter bits = new BlockedFilter(SMALL, hash.hasher(secret));
    LongStream.range(0, 20).forEach(bits::add);
    Instant then = clock.instant();
    Files.write(file(), FormerFiles.form(name, bits, then, 21, "0:7"));
    clock.pass(Duration.ofHours(20));

    for (int start = 0; start < 2; start++) {
      LocalGenerations store = store();
      assertThat(store.checkAll(List.of("7", "never"))).containsExactly(POSSIBLY_PRESENT, ABSENT);
      assertThat(store.snapshotTime()).isEqualTo(then);
      assertThat(store.keysRead()).isEqualTo(21);
      assertThat(store.feedRecord().read().position()).isEqualTo("0:7");
      assertThat(Files.readString(file(), ISO_8859_1)).startsWith("BLOOMSN3").contains("0:7");
      assertThat(files()).containsExactly("items.snapshot");
    }
  }

  @Test
  void aFileOfAnEarlierVersionThatIsDamagedStaysWhereItIsTheOnlyCopy() throws IOException {
    onlyCopy = true;
    trusted = true;
    BlockedFilter bits = new BlockedFilter(SMALL, hash.hasher(secret));
    byte[] form = FormerFiles.form(name, bits, clock.instant(), 0, null);
    form[form.length - 1] ^= 1;
    Files.write(file(), form);

    LocalGenerations store = store();
    store.serveEmpty(SMALL);
    store.save();

    assertThat(store.check("7")).isEqualTo(UNKNOWN);
    assertThat(Files.readAllBytes(file())).isEqualTo(form);
  }

  /** Counters are kept as they are, and so are the words of more than one slice. */
  @ParameterizedTest
  @EnumSource(names = {"BLOCKED", "COUNTING"})
  void aLargeFilterIsKeptWordForWord(Layout layout) throws IOException {
    FilterShape shape = Sizing.shape(layout, layout.removes() ? 12_000_000 : 48_000_000, 1e-3);
    assertThat(shape.sizeBytes()).isGreaterThan(ImagePlan.SLICE_BYTES);
    SnapshotForm form = new BlockedSnapshot(name, shape, hash, secret, KeyFolding.EXACT);
    BlockedFilter bits = (BlockedFilter) form.empty();
    LongStream.range(0, 5_000).forEach(bits::add);
    LongStream.range(0, 100).forEach(bits::add);
    snapshot(form).write(bits, 0, null);

    BlockedFilter read = (BlockedFilter) form.read(file(), clock.instant(), DAY).bits();

    assertThat(LongStream.range(0, bits.words()).allMatch(i -> read.word(i) == bits.word(i)))
        .isTrue();
    assertThat(read.fillRatio()).isEqualTo(bits.fillRatio());
    assertThat(read.salt()).isEqualTo(bits.salt()).isNotZero();
  }

  private LocalGenerations store() {
    return new LocalGenerations(
        name,
        shape -> MembershipFilters.create(shape, hash.hasher(secret), BlockGeometry.drawSalt()),
        configured,
        RETENTION,
        TestGenerations.journal(name),
        1,
        clock::nanos,
        snapshot());
  }

  private Snapshot snapshot() {
    return snapshot(new BlockedSnapshot(name, configured, hash, secret, KeyFolding.EXACT));
  }

  private Snapshot snapshot(SnapshotForm form) {
    return new Snapshot(name, file(), form, DAY, trusted, onlyCopy, clock);
  }

  private Path file() {
    return directory.resolve("items.snapshot");
  }

  private List<String> files() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(path -> path.getFileName().toString()).toList();
    }
  }

  /** A file with the keys 0 to 19. */
  private byte[] written() throws IOException {
    build(store(), 0, 20);
    return Files.readAllBytes(file());
  }

  private void build(LocalGenerations store, long from, long to) {
    long[] keys = LongStream.range(from, to).toArray();
    try (GenerationStore.Build build = store.beginBuild(configured)) {
      build.addAll(keys, keys.length);
      build.publish();
    }
  }

  private void assertRefused() {
    LocalGenerations store = store();
    assertThat(store.check(7)).isEqualTo(UNKNOWN);
    assertThat(store.status().state()).isEqualTo(FilterState.EMPTY);
  }

  /** A form whose writing fails after some bytes. */
  private static SnapshotForm failing(@Nullable IOException failure) {
    return (SnapshotForm)
        Proxy.newProxyInstance(
            SnapshotTest.class.getClassLoader(),
            new Class<?>[] {SnapshotForm.class},
            (proxy, method, arguments) -> {
              if (!method.getName().equals("write")) {
                return false;
              }
              ((OutputStream) arguments[4]).write(new byte[8]);
              if (failure != null) {
                throw failure;
              }
              throw new IllegalStateException("bug");
            });
  }
}
