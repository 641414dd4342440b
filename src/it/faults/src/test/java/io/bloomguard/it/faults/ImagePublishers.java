package io.bloomguard.it.faults;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.bloomguard.filter.FilterPlan;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.image.ImageDirectory;
import io.bloomguard.image.ImagePlan;
import io.bloomguard.image.ImageSet;
import io.bloomguard.image.ImageWriter;
import io.bloomguard.it.support.Processes;
import io.bloomguard.it.support.Wait;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * Two more shops with a filter of image sets: the first publishes each that comes, the second adds
 * keys, and publishes at request.
 */
final class ImagePublishers implements AutoCloseable {

  private static final AtomicInteger NAMES = new AtomicInteger();
  private static final HashSecret SECRET = HashSecret.parse("000102030405060708090a0b0c0d0e0f");
  private static final FilterPlan PLAN = FilterPlan.redis(20_000, 1e-6);
  private static final int SLICE_BYTES = 16_384;

  /** How far the data are in the future: the journal is replayed from half a minute ago. */
  private static final int AHEAD_SECONDS = 59;

  /** What was added longer ago is among the data. */
  private static final long LATE_SECONDS = 15;

  private static final long FIRST_ADDED = 10_000_000;
  private static final int BETWEEN_SETS_SECONDS = 8;

  private final String filter = "images-" + NAMES.incrementAndGet();
  private final Path folder = Files.createDirectories(Processes.folder().resolve(filter));
  private final World world;

  /** The keys that were acknowledged, and when. */
  private final Map<Long, Long> added = new ConcurrentHashMap<>();

  private final Worker first;
  private final Worker second;
  private String manifest = "";

  ImagePublishers(World world) throws Exception {
    this.world = world;
    String prefix = "--bloomguard.filters." + filter + ".";
    List<String> settings =
        List.of(
            prefix + "expected-insertions=20000",
            prefix + "false-positive-probability=0.000001",
            prefix + "source.images.manifest=" + folder.resolve("latest.json"),
            prefix + "source.images.max-age=1s",
            prefix + "rebuild.journal-retention=2m",
            prefix + "rebuild.cooldown=0s",
            prefix + "verify.first=0",
            prefix + "verify.sample=0");
    second = world.beginAnother(filter + "-adds", null, with(settings, prefix, "1h"));
    first = world.beginAnother(filter + "-publishes", null, with(settings, prefix, "1s"));
    second.awaitStarted();
    first.awaitStarted();
  }

  private static List<String> with(List<String> settings, String prefix, String poll) {
    List<String> all = new ArrayList<>(settings);
    all.add(prefix + "source.images.poll=" + poll);
    return all;
  }

  String filter() {
    return filter;
  }

  Worker first() {
    return first;
  }

  Worker second() {
    return second;
  }

  int slices() {
    return plan().slices();
  }

  private ImagePlan plan() {
    return ImagePlan.of(filter, PLAN, KeyHash.SIPHASH_1_3, SECRET, KeyFolding.EXACT, SLICE_BYTES);
  }

  /** Acknowledges a key that no set has. */
  void add() throws Exception {
    Wait.upTo(20, "an add", this::added);
  }

  boolean added() throws Exception {
    long key = FIRST_ADDED + added.size();
    boolean ok = second.ask("add " + filter + " " + key).equals("ok");
    if (ok) {
      added.put(key, System.nanoTime());
    }
    return ok;
  }

  /** Writes sets of keys until one serves in all shops, with the keys that were added. */
  void serve(long[] keys) throws Exception {
    long[] next = {System.nanoTime()};
    Wait.upTo(
        120,
        "a set is served",
        () -> {
          if (System.nanoTime() - next[0] >= 0) {
            write(keys);
            publish();
            next[0] = System.nanoTime() + TimeUnit.SECONDS.toNanos(BETWEEN_SETS_SECONDS);
          }
          expectNoneDenied();
          return isServed(keys);
        });
  }

  private boolean isServed(long[] keys) throws Exception {
    for (Worker worker : alive()) {
      if (letters(worker, List.of(Ledger.FIRST_ABSENT)).indexOf('A') < 0
          || !isAll(worker, Arrays.stream(keys).boxed().toList(), 'P')
          || !isAll(worker, List.copyOf(added.keySet()), 'P')) {
        return false;
      }
    }
    return true;
  }

  void expectServed(long[] keys) throws Exception {
    expectNoneDenied();
    Wait.upTo(20, "the keys of the set, and those added", () -> isServed(keys));
    Set<Long> whole = Arrays.stream(keys).boxed().collect(Collectors.toSet());
    List<Long> others =
        LongStream.range(0, 1_500).boxed().filter(key -> !whole.contains(key)).limit(100).toList();
    for (Worker worker : alive()) {
      if (!isAll(worker, others, 'A')) {
        throw new IOException(worker.name() + " serves what is not whole");
      }
    }
  }

  /** Thrown past everything that waits: a denied key is never put right again. */
  void expectNoneDenied() throws Exception {
    for (Worker worker : alive()) {
      if (!added.isEmpty() && letters(worker, List.copyOf(added.keySet())).indexOf('A') >= 0) {
        throw new AssertionError(worker.name() + " rejected a key that was added to " + filter);
      }
    }
  }

  private List<Worker> alive() {
    return List.of(first, second).stream().filter(Worker::isAlive).toList();
  }

  private boolean isAll(Worker worker, List<Long> keys, char letter) throws Exception {
    return keys.isEmpty() || letters(worker, keys).chars().allMatch(each -> each == letter);
  }

  private String letters(Worker worker, List<Long> keys) throws Exception {
    String ids = keys.stream().map(String::valueOf).collect(Collectors.joining(","));
    return worker.ask("check " + filter + " together " + ids).split(" ")[0];
  }

  /** From then on the journal begins later than the data of the sets so far. */
  void loseJournal() throws Exception {
    String partition = "bloomguard:{" + filter + ":0}:";
    Object losses = world.redis().call("HGET", partition + "head", "losses");
    world.redis().call("DEL", partition + "journal");
    Wait.upTo(
        30,
        "the loss is over",
        () ->
            !losses.equals(world.redis().call("HGET", partition + "head", "losses"))
                && first.status(filter).contains("\"state\":\"READY\""));
  }

  /**
   * Has the first shop try the set at once: after one that it refused, it waits longer each time.
   */
  void publish() {
    first.requestRebuild(filter).join();
  }

  boolean isRefused(String why) throws Exception {
    return first.status(filter).contains(why);
  }

  /** Writes a set, of which some slices are held. */
  Path write(long[] keys, int... held) throws Exception {
    Path slices = stage(keys);
    for (int slice : held) {
      Files.move(slices.resolve("" + slice), slices.resolve(slice + ".content"));
      Process made =
          Processes.start(new ProcessBuilder("mkfifo", slices.resolve("" + slice).toString()));
      made.waitFor();
    }
    reveal(slices);
    return slices;
  }

  /** Writes the slices alone, with the keys that were added some time ago. */
  Path stage(long[] keys) throws IOException {
    ImagePlan plan = plan();
    List<ImageWriter> writers = new ArrayList<>();
    for (int i = 0; i < plan.slices(); i++) {
      writers.add(new ImageWriter(plan, i));
    }
    KeyHasher hasher = plan.hasher(SECRET);
    ImagePlan.Router router = plan.router();
    long late = System.nanoTime() - TimeUnit.SECONDS.toNanos(LATE_SECONDS);
    LongStream.concat(
            Arrays.stream(keys),
            added.entrySet().stream()
                .filter(entry -> entry.getValue() - late < 0)
                .mapToLong(Map.Entry::getKey))
        .map(hasher::hash)
        .forEach(hash -> writers.get(router.slice(hash)).add(hash));
    String name = UUID.randomUUID().toString();
    List<ImageSet.Slice> slices = new ArrayList<>();
    for (int i = 0; i < writers.size(); i++) {
      slices.add(writers.get(i).write(name + "/" + i, new ImageDirectory(folder)));
    }
    Instant asOf = Instant.now().plusSeconds(AHEAD_SECONDS);
    ImageSet set =
        new ImageSet(plan, asOf.truncatedTo(ChronoUnit.MILLIS), null, keys.length, 0, true, slices);
    manifest = set.manifest(SECRET);
    return folder.resolve(name);
  }

  /** Puts the manifest of the slices that were written last in place of the former one. */
  void reveal(Path slices) throws IOException {
    Path written = Files.writeString(slices.resolve("manifest"), manifest, UTF_8);
    Files.move(
        written,
        folder.resolve("latest.json"),
        StandardCopyOption.ATOMIC_MOVE,
        StandardCopyOption.REPLACE_EXISTING);
  }

  /** Waits until the first shop reads a slice that is held, and gets nothing of it. */
  OutputStream heldAt(Path slices, int slice) throws Exception {
    CompletableFuture<OutputStream> opened = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                opened.complete(new FileOutputStream(slices.resolve("" + slice).toFile()));
              } catch (IOException e) {
                opened.completeExceptionally(e);
              }
            });
    thread.setDaemon(true);
    thread.start();
    return opened.get(60, TimeUnit.SECONDS);
  }

  byte[] content(Path slices, int slice) throws IOException {
    return Files.readAllBytes(slices.resolve(slice + ".content"));
  }

  /** Puts a held slice in its place. */
  void mend(Path slices, int slice) throws IOException {
    Files.move(
        slices.resolve(slice + ".content"),
        slices.resolve("" + slice),
        StandardCopyOption.REPLACE_EXISTING);
  }

  @Override
  public void close() throws InterruptedException {
    first.close();
    second.close();
  }
}
