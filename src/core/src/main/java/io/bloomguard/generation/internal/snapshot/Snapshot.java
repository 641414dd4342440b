package io.bloomguard.generation.internal.snapshot;

import io.bloomguard.filter.CorruptFilterException;
import io.bloomguard.filter.internal.MembershipFilter;
import io.bloomguard.image.ImageDirectory;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file through which a filter on this heap passes its content to the next process, and the
 * trust in it.
 *
 * <p>No file makes a start fail, and a file is served only if it is exactly what this filter would
 * write. A failure costs the filter its head start, and logs a warning.
 */
public final class Snapshot {

  /** The time that one writer waits for another. */
  private static final int PATIENCE_SECONDS = 30;

  private static final Logger log = LoggerFactory.getLogger(Snapshot.class);

  private final String filter;
  private final Path file;
  private final SnapshotForm form;
  private final Duration maxAge;
  private final boolean trusted;
  private final boolean onlyCopy;
  private final InstantSource clock;
  private final ReentrantLock writing = new ReentrantLock();
  // Whether the file may be another program's, or holds the only copy of keys that could not be
  // read.
  private volatile boolean untouchable;
  // Whether keys of the source must still prove that the content is this filter's.
  private volatile boolean proofDue;

  /**
   * A snapshot that is neither read nor written yet.
   *
   * @param filter the filter's name
   * @param file the file, in a directory that exists
   * @param form the form of its content
   * @param maxAge the age, by the time written in the file, past which it is refused
   * @param trusted whether keys that are not in the file are denied before any build
   * @param onlyCopy whether the filter has no source from which it could be built again
   * @param clock the clock by which the age is judged
   */
  public Snapshot(
      String filter,
      Path file,
      SnapshotForm form,
      Duration maxAge,
      boolean trusted,
      boolean onlyCopy,
      InstantSource clock) {
    this.filter = filter;
    this.file = file.toAbsolutePath();
    this.form = form;
    this.maxAge = maxAge;
    this.trusted = trusted;
    this.onlyCopy = onlyCopy;
    this.clock = clock;
  }

  /**
   * {@return the reason why snapshots cannot be kept in a file, null if they can} Tries it, because
   * a directory's attributes may differ from what its volume allows.
   *
   * @param file the file, which need not exist
   */
  public static @Nullable String problem(Path file) {
    Path directory = file.getParent();
    if (Files.exists(file) && !Files.isRegularFile(file)) {
      return "is no file";
    }
    if (directory == null || !Files.isDirectory(directory)) {
      return "lies in no directory";
    }
    try {
      Files.delete(Files.createTempFile(directory, file.getFileName() + ".", ".tmp"));
      return null;
    } catch (IOException e) {
      return "lies in a directory that cannot be written to (" + e + ")";
    }
  }

  /** Whether the filter has no source from which it could be built again. */
  public boolean onlyCopy() {
    return onlyCopy;
  }

  /** The restored filter, null for none. Never throws. */
  public @Nullable Restored restore() {
    try {
      deleteLeftovers();
      SnapshotForm.Content content = form.read(file, clock.instant(), maxAge);
      report(content);
      if (content.outdated()) {
        write(content.bits(), content.keysRead(), content.position(), content.written());
      }
      // Without a source, the user vouches for it by trust-snapshot.
      proofDue = form.isShared() && !onlyCopy;
      untouchable = proofDue;
      return new Restored(
          content.bits(),
          trusted && !proofDue,
          content.written(),
          content.keysRead(),
          content.position());
    } catch (NoSuchFileException e) {
      log.debug("Filter '{}': there is no snapshot {} yet", filter, file);
      return null;
    } catch (IOException | RuntimeException e) {
      String reason = e instanceof CorruptFilterException ? e.getMessage() : e.toString();
      return onlyCopy ? afterLoss(reason) : refused(reason);
    }
  }

  /** Deletes the leftovers of a process that was killed while it wrote. */
  private void deleteLeftovers() throws IOException {
    Pattern leftover = Pattern.compile(Pattern.quote(file.getFileName() + ".") + "\\d+\\.tmp");
    Path directory = Objects.requireNonNull(file.getParent(), "An absolute file has a directory");
    try (DirectoryStream<Path> siblings =
        Files.newDirectoryStream(
            directory, path -> leftover.matcher(path.getFileName() + "").matches())) {
      for (Path path : siblings) {
        Files.deleteIfExists(path);
      }
    }
  }

  private void report(SnapshotForm.Content content) {
    log.info(
        "Filter '{}': about {} keys are in the snapshot {} of {}",
        filter,
        content.bits().estimatedElements(),
        file,
        content.written());
    if (onlyCopy && !trusted) {
      log.warn(
          "Filter '{}': it has no source, and keys may have been added after its snapshot was"
              + " written, so keys that are not in it are UNKNOWN. Set warm-up.trust-snapshot if it"
              + " may deny them",
          filter);
    }
  }

  /** Whether keys of the source must still prove that the content is this filter's. */
  public boolean isProofDue() {
    return proofDue;
  }

  /**
   * Judges the file by keys of the source.
   *
   * @param bits the restored bits
   */
  public Verdict prove(MembershipFilter bits, List<String> keys) {
    try {
      if (!form.proves(bits, keys)) {
        log.warn(
            "Filter '{}': the first {} keys of the source are too few to prove the snapshot {}, so"
                + " it denies nothing and is left as it is",
            filter,
            keys.size(),
            file);
        return Verdict.DOUBTED;
      }
    } catch (CorruptFilterException e) {
      proofDue = false;
      var unused = refused(e.getMessage());
      return Verdict.REFUSED;
    }
    proofDue = false;
    untouchable = false;
    return trusted ? Verdict.TRUSTED : Verdict.DOUBTED;
  }

  /** The treatment of a judged snapshot. */
  public enum Verdict {
    /** The snapshot denies keys that it does not have. */
    TRUSTED,
    /** The snapshot serves, and denies nothing. */
    DOUBTED,
    /** The snapshot does not serve. */
    REFUSED
  }

  private @Nullable Restored refused(@Nullable String reason) {
    untouchable = form.isShared();
    if (untouchable) {
      log.warn(
          "Filter '{}': the snapshot {} is refused, and all keys are read from the source. Another"
              + " program may have written it, so it is left as it is until you mend or delete"
              + " it: {}",
          filter,
          file,
          reason);
      return null;
    }
    log.warn(
        "Filter '{}': the snapshot {} is refused, and all keys are read from the source: {}",
        filter,
        file,
        reason);
    return null;
  }

  /** An empty filter that must not deny, because the content of the file is unknown. */
  private Restored afterLoss(@Nullable String reason) {
    untouchable = true;
    log.warn(
        "Filter '{}': the snapshot {} is refused, and there is no source to read the keys from, so"
            + " keys that are not added again are UNKNOWN. The file is left as it is until you"
            + " mend or delete it: {}",
        filter,
        file,
        reason);
    return new Restored(form.empty(), false, clock.instant(), 0, null);
  }

  /**
   * Writes {@code bits} in place of the former file. Never throws.
   *
   * @param keysRead the number of keys that they were built from, 0 if that is not known
   * @param position the position of the feed of changes up to which they have all changes; null for
   *     none
   */
  public void write(MembershipFilter bits, long keysRead, @Nullable String position) {
    write(bits, keysRead, position, clock.instant());
  }

  private void write(
      MembershipFilter bits, long keysRead, @Nullable String position, Instant written) {
    if (!isLocked()) {
      log.warn("Filter '{}': the snapshot {} is still being written", filter, file);
      return;
    }
    try {
      if (untouchable) {
        return;
      }
      ImageDirectory.write(file, out -> form.write(bits, keysRead, position, written, out));
      if (form.isShared()) {
        Files.setLastModifiedTime(file, FileTime.from(written));
      }
      log.debug("Filter '{}': the snapshot {} is written", filter, file);
    } catch (IOException | RuntimeException e) {
      log.warn(
          "Filter '{}': the snapshot {} could not be written, the former one stays: {}",
          filter,
          file,
          e.toString());
    } finally {
      writing.unlock();
    }
  }

  private boolean isLocked() {
    try {
      return writing.tryLock() || writing.tryLock(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /**
   * The first content of a filter.
   *
   * @param denies whether keys that it lacks are absent; otherwise they are unknown
   * @param asOf the time at which it was written
   * @param keysRead the number of keys that it was built from, 0 if that is not known
   * @param position the position of the feed of changes up to which it has all changes; null for
   *     none
   */
  public record Restored(
      MembershipFilter bits,
      boolean denies,
      Instant asOf,
      long keysRead,
      @Nullable String position) {}
}
