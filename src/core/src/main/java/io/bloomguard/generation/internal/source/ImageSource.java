package io.bloomguard.generation.internal.source;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.bloomguard.filter.CorruptFilterException;
import io.bloomguard.filter.FilterPlan;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.generation.KeySource;
import io.bloomguard.generation.KeySourceException;
import io.bloomguard.generation.internal.AddsSince;
import io.bloomguard.generation.internal.ImageRefusedException;
import io.bloomguard.image.ImagePlan;
import io.bloomguard.image.ImageSet;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The image set that a manifest names, as the source of a filter: its slices are published as they
 * are.
 *
 * <p>A set that was refused is not tried again until the manifest names another, or an operator
 * requests it.
 */
public final class ImageSource implements KeySource {

  /** More than that of 29 GiB in the smallest slices that a job makes. */
  private static final int LONGEST_MANIFEST = 64 << 20;

  /** The time for which the place of the files may be silent about the manifest. */
  private static final Duration LIMIT = Duration.ofSeconds(30);

  /** Knows no recent keys, and no identity. */
  private static final KeySource NO_ROWS = sink -> {};

  private static final Logger log = LoggerFactory.getLogger(ImageSource.class);

  private final Settings settings;
  private final ImageSet.Files files;
  private final KeySource rows;
  private final @Nullable ChangesSince changes;
  private final InstantSource clock;
  private final Recurring polls;
  private volatile @Nullable Named newest;
  private volatile @Nullable String refused;

  /** Whether the adds since the data of the set that is read come from elsewhere too. */
  private volatile boolean complete;

  /** Why the log cannot be read from the position of the set; empty if it can, or has none. */
  private volatile String unread = "";

  private volatile @Nullable String problem;

  /**
   * The filter that sets are made for, and where its sets are.
   *
   * @param manifest the name of the manifest among the files
   * @param poll the time between two looks at the manifest
   * @param maxAge the age of a set's data past which a newer one is missed
   * @param overlap how much earlier than a set's data the recent rows are read
   */
  public record Settings(
      String filter,
      FilterShape shape,
      KeyHash hash,
      HashSecret secret,
      KeyFolding folding,
      String manifest,
      Duration poll,
      Duration maxAge,
      Duration overlap) {}

  /** A manifest and the set that it describes; null if it describes none for this filter. */
  private record Named(String manifest, @Nullable ImageSet set) {}

  /**
   * @param files has the manifest, and the slices by the names in it
   * @param rows yields recent rows; null for none
   * @param changes yields the rows since a set's position; null without a feed of changes
   */
  public ImageSource(
      Settings settings,
      ImageSet.Files files,
      @Nullable KeySource rows,
      @Nullable ChangesSince changes,
      InstantSource clock) {
    this.settings = settings;
    this.files = files;
    this.rows = rows == null ? NO_ROWS : rows;
    this.changes = changes;
    this.clock = clock;
    this.polls = new Recurring(settings.filter, "the manifest", settings.poll, clock);
  }

  @Override
  public void forEach(KeySink sink) throws Exception {
    ImageSet set = read();
    if (set == null) {
      throw new ImageRefusedException(refused + "");
    }
    refused = null;
    KeySource since = since(set);
    complete = since != null;
    try {
      sink.accept(set, files);
    } catch (ImageRefusedException | CorruptFilterException e) {
      refused = e.getMessage() + unread;
      throw e;
    }
    if (since != null) {
      since.forEach(sink);
    }
  }

  /** Yields the rows since the data of a set; null if nothing does. */
  private @Nullable KeySource since(ImageSet set) throws InterruptedException {
    unread = "";
    if (rows.knowsRecent()) {
      Instant from = set.asOf().minus(AddsSince.SKEW).minus(settings.overlap);
      return sink -> rows.forEachRecent(from, sink);
    }
    String position = set.position();
    ChangesSince log = changes;
    if (position == null || log == null) {
      return null;
    }
    String refusal = log.refusal(position);
    if (refusal != null) {
      unread = ". Its position in the feed of changes cannot be gone back to: " + refusal;
      return null;
    }
    return sink -> log.read(position, sink::accept);
  }

  /** Whether the adds since the data of the set that is being read come from elsewhere too. */
  public boolean isComplete() {
    return complete;
  }

  /**
   * Whether the set that the manifest names may have all changes of a feed.
   *
   * @param begun whether the feed is known to have begun before a moment
   */
  public boolean mayFollow(Predicate<Instant> begun) {
    ImageSet set = newest();
    return rows.knowsRecent()
        || set != null
            && (set.position() != null && changes != null
                || begun.test(set.asOf().minus(AddsSince.SKEW)));
  }

  /** The set that the manifest names; null if it cannot be read, as {@link #forEach} will tell. */
  public @Nullable ImageSet named(SourceThreads threads) {
    String why = poll(threads);
    if (why != null) {
      log.debug("Filter '{}': {}", settings.filter, why);
      return null;
    }
    return newest();
  }

  /** Reads the manifest, for a limited time; null, or why it cannot be read. */
  private @Nullable String poll(SourceThreads threads) {
    try {
      new SourceReading(settings.filter, LIMIT, threads)
          .read(() -> read(), () -> 0, () -> false, LIMIT);
      return null;
    } catch (Exception e) {
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      return "The manifest of image sets could not be read: " + e;
    }
  }

  /** Reads the manifest: a set, or null for none of this filter's, as long as its text lasts. */
  private @Nullable ImageSet read() throws IOException {
    String manifest;
    try (InputStream in = files.open(settings.manifest)) {
      byte[] bytes = in.readNBytes(LONGEST_MANIFEST + 1);
      manifest = bytes.length > LONGEST_MANIFEST ? "" : new String(bytes, UTF_8);
    } catch (NoSuchFileException e) {
      throw new KeySourceException("There is no manifest " + settings.manifest, null);
    }
    Named known = newest;
    if (known != null && known.manifest.equals(manifest)) {
      return known.set;
    }
    ImageSet set = null;
    try {
      ImageSet read = ImageSet.read(manifest, settings.secret);
      read.requirePlan(expected(read.plan()));
      set = read;
      refused = null;
    } catch (CorruptFilterException e) {
      refuse(e.getMessage());
    }
    newest = new Named(manifest, set);
    return set;
  }

  /** The number of partitions is compared by the store, which knows it. */
  private ImagePlan expected(ImagePlan made) {
    FilterPlan plan = FilterPlan.split(settings.shape, made.partitions());
    return ImagePlan.of(
        settings.filter, plan, settings.hash, settings.secret, settings.folding, made.sliceBytes());
  }

  /** Looks for a newer set in the background, if that is due. Never throws. */
  public void pollIfDue(Executor executor, SourceThreads threads) {
    polls.beginIfDue(
        executor,
        () -> {
          polls.tried();
          String why = poll(threads);
          if (why != null && !why.equals(problem)) {
            log.warn("Filter '{}': {}", settings.filter, why);
          }
          problem = why;
        });
  }

  /** Notes why the set that is loaded will deny no key. */
  public void doubted(String why) {
    refuse(why + unread);
  }

  private void refuse(@Nullable String why) {
    refused = why;
    log.warn("Filter '{}': {}", settings.filter, refusal());
  }

  /** Whether the set that the manifest names is not to be tried again. */
  public boolean isRefused() {
    return refused != null;
  }

  /**
   * Whether the manifest names a set that is to be published.
   *
   * @param served the time of the newest set that was; null for none
   */
  public boolean isNewer(@Nullable Instant served) {
    ImageSet set = newest();
    return set != null && refused == null && (served == null || set.asOf().isAfter(served));
  }

  /** The set that the manifest named last; null for none. */
  private @Nullable ImageSet newest() {
    Named last = newest;
    return last == null ? null : last.set;
  }

  /**
   * What an operator should know, in whole sentences.
   *
   * @param served the time of the newest set that was published; null for none
   */
  public List<String> warnings(@Nullable Instant served) {
    List<String> warnings = new ArrayList<>();
    if (refused != null) {
      warnings.add(refusal());
    }
    String failed = problem;
    if (failed != null) {
      warnings.add(failed);
    }
    if (served != null && served.plus(settings.maxAge).isBefore(clock.instant())) {
      warnings.add(
          "The newest image set is as of "
              + served
              + ", longer ago than source.images.max-age ("
              + settings.maxAge
              + "): is the job that makes sets failing?");
    }
    return warnings;
  }

  private String refusal() {
    return "The image set of " + settings.manifest + " rejects no key: " + refused;
  }

  @Override
  public boolean knowsRecent() {
    return rows.knowsRecent();
  }

  @Override
  public void forEachRecent(Instant since, KeySink sink) throws Exception {
    rows.forEachRecent(since, sink);
  }

  @Override
  public @Nullable String identity() throws Exception {
    return rows.identity();
  }
}
