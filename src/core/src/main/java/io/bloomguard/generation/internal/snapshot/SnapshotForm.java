package io.bloomguard.generation.internal.snapshot;

import io.bloomguard.filter.CorruptFilterException;
import io.bloomguard.filter.internal.MembershipFilter;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The form of a filter's content in the file of its snapshot. */
public interface SnapshotForm {

  /** {@return an empty filter of the configured shape} */
  MembershipFilter empty();

  /**
   * Reads a file, if it is not older than {@code maxAge}.
   *
   * @param file the file
   * @param now the present time
   * @param maxAge the age past which it is refused
   * @return its content
   * @throws java.nio.file.NoSuchFileException if there is no file
   * @throws CorruptFilterException if it is damaged, truncated, foreign, too old or of the future
   */
  Content read(Path file, Instant now, Duration maxAge) throws IOException;

  /**
   * Writes a filter with every add that returned before the call.
   *
   * @param bits the filter, which may take adds meanwhile
   * @param keysRead the number of keys that it was built from, 0 if that is not known
   * @param position the position of the feed of changes up to which it has all changes; null for
   *     none, and left out of a form that other programs write
   * @param now the present time
   * @param out gets the form; it is not closed
   */
  void write(
      MembershipFilter bits,
      long keysRead,
      @Nullable String position,
      Instant now,
      OutputStream out)
      throws IOException;

  /**
   * {@return whether other programs write such files} Its age is then that of the file, one that is
   * refused is left as it is, and keys of the source must {@linkplain #proves prove} the content.
   */
  default boolean isShared() {
    return false;
  }

  /**
   * {@return whether keys of the source prove that the content is this filter's; false if they are
   * too few}
   *
   * @param bits the content
   * @param keys the first keys of the source
   * @throws CorruptFilterException if the keys refute it
   */
  default boolean proves(MembershipFilter bits, List<String> keys) throws CorruptFilterException {
    return true;
  }

  /**
   * Refuses a content of a wrong age.
   *
   * @param age the time since it was written
   * @param maxAge the age past which it is refused
   * @throws CorruptFilterException if it is too old or of the future
   */
  static void requireAge(Duration age, Duration maxAge) throws CorruptFilterException {
    if (age.isNegative()) {
      throw new CorruptFilterException("It was written " + age.negated() + " in the future");
    }
    if (age.compareTo(maxAge) > 0) {
      throw new CorruptFilterException(
          "It was written " + age + " ago, but may be at most " + maxAge + " old");
    }
  }

  /**
   * The content of a file.
   *
   * @param bits the filter
   * @param written the time at which it was written
   * @param keysRead the number of keys that it was built from, 0 if that is not known
   * @param position the position of the feed of changes up to which it has all changes; null for
   *     none
   * @param outdated whether the file has a form of an earlier version, and is to be rewritten
   */
  record Content(
      MembershipFilter bits,
      Instant written,
      long keysRead,
      @Nullable String position,
      boolean outdated) {}
}
