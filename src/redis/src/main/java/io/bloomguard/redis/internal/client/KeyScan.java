package io.bloomguard.redis.internal.client;

import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** A search for keys among all keys of a server, or of every master of a cluster. */
public final class KeyScan {

  /** The keys that Redis looks at for one page, so that no other command waits for long. */
  private static final int PAGE = 1_000;

  private KeyScan() {}

  /**
   * Passes every key whose name matches, some perhaps twice. A key that is made, ends or moves to
   * another master meanwhile may be left out.
   *
   * @param names the names, as a pattern of Redis
   * @param timeout the time limit of a page
   * @param end the moment by {@code System.nanoTime()} at which the search is given up
   * @param found gets the keys, page by page
   * @return false if it was given up
   * @throws RedisUnavailableException if Redis does not answer
   */
  public static boolean each(
      RedisLink link, String names, Duration timeout, long end, Consumer<List<byte[]>> found) {
    ScanArgs args = ScanArgs.Builder.matches(names).limit(PAGE);
    ScanCursor cursor = ScanCursor.INITIAL;
    while (!cursor.isFinished()) {
      if (System.nanoTime() - end > 0) {
        return false;
      }
      ScanCursor from = cursor;
      KeyScanCursor<byte[]> page = Replies.await(link.call(c -> c.scan(from, args)), timeout);
      if (page == null) {
        return true;
      }
      found.accept(page.getKeys());
      cursor = page;
    }
    return true;
  }

  /** {@return the pattern of names that have a text where it stands} */
  public static String literal(String text) {
    return text.replaceAll("([*?\\[\\]\\\\])", "\\\\$1");
  }
}
