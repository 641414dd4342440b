package io.bloomguard.it.faults;

import static io.bloomguard.it.faults.Fault.Where.SENTINEL;
import static io.bloomguard.it.faults.Fault.Where.STANDALONE;

import io.bloomguard.it.support.Wait;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;

/** Image sets that are damaged, and publishers that end or lose their Redis in the middle. */
final class ImageFaults {

  private static final long[] FORMER = LongStream.range(0, 1_000).toArray();
  private static final long[] NEXT = LongStream.range(500, 1_500).toArray();

  private static final List<String> REFUSALS =
      List.of("is missing", "The checksum", "is cut short", "the journal lacks adds");

  /** From the last byte of a set to its being served. */
  private static final int MOST_MILLIS_TO_PUBLISH = 100;

  /** The next phase in which a publisher is killed. */
  private static final AtomicInteger PHASE = new AtomicInteger(1);

  private ImageFaults() {}

  static List<Fault> all() {
    return List.of(
        Fault.of(STANDALONE, "publisher of images killed", ImageFaults::killed)
            .excusing(2)
            .times(1, 4),
        Fault.of(STANDALONE, "images damaged, of another set or too old", ImageFaults::damaged)
            .excusing(2)
            .times(1, 2),
        Fault.of(SENTINEL, "failover while images are published", ImageFaults::failover)
            .losesCache()
            .excusing(12)
            .within(60)
            .times(0, 2));
  }

  /**
   * Another process publishes the same set once the right to it has lapsed. Each time the first one
   * is killed in another phase: once it has registered, within the slices, at the last of them, and
   * some moment after it.
   */
  private static void killed(World world) throws Exception {
    try (ImagePublishers publishers = new ImagePublishers(world)) {
      publishers.serve(FORMER);
      publishers.add();
      int last = publishers.slices() - 1;
      int phase = PHASE.getAndIncrement() % 4;
      int slice = new int[] {0, 1 + world.random().nextInt(last - 1), last, last}[phase];
      Path folder = publishers.write(NEXT, slice);
      try (OutputStream held = publishers.heldAt(folder, slice)) {
        publishers.add();
        if (phase == 3) {
          held.write(publishers.content(folder, slice));
          held.close();
          world.pause(world.random().nextInt(MOST_MILLIS_TO_PUBLISH));
        }
        publishers.first().kill();
      } catch (IOException e) {
        // It is killed with the other end of this.
      }
      publishers.add();
      publishers.expectNoneDenied();
      publishers.mend(folder, slice);
      world.rebuild(publishers.second(), publishers.filter(), 90);
      publishers.expectServed(NEXT);
    }
  }

  /** Nothing of such a set is served, and the serving generation stays. */
  private static void damaged(World world) throws Exception {
    try (ImagePublishers publishers = new ImagePublishers(world)) {
      publishers.serve(FORMER);
      publishers.add();
      Path others = publishers.write(FORMER);
      for (int damage = 0; damage < REFUSALS.size(); damage++) {
        String refusal = REFUSALS.get(damage);
        int slice = world.random().nextInt(publishers.slices());
        Path folder = publishers.stage(NEXT);
        Path file = folder.resolve("" + slice);
        byte[] bytes = Files.readAllBytes(file);
        switch (damage) {
          case 0 -> Files.delete(file);
          case 1 -> Files.write(file, Files.readAllBytes(others.resolve("" + slice)));
          case 2 -> Files.write(file, Arrays.copyOf(bytes, bytes.length - 8));
          default -> publishers.loseJournal();
        }
        publishers.reveal(folder);
        Wait.upTo(
            60,
            "refused: " + refusal,
            () -> {
              publishers.publish();
              return publishers.isRefused(refusal);
            });
        publishers.add();
        publishers.expectServed(FORMER);
      }
      publishers.serve(NEXT);
    }
  }

  private static void failover(World world) throws Exception {
    try (ImagePublishers publishers = new ImagePublishers(world)) {
      publishers.serve(FORMER);
      publishers.add();
      int slice = world.random().nextInt(publishers.slices());
      Path folder = publishers.write(NEXT, slice);
      try (OutputStream held = publishers.heldAt(folder, slice)) {
        publishers.add();
        ServerFaults.failover(world);
        Wait.upTo(30, "an add", () -> publishers.added());
        held.write(publishers.content(folder, slice));
      } catch (IOException e) {
        // The build has ended meanwhile.
      }
      publishers.expectNoneDenied();
      publishers.mend(folder, slice);
      publishers.serve(NEXT);
    }
  }
}
