package io.bloomguard.autoconfigure.internal.properties;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The bit strings that a filter shares with other programs, for the backend redis-bitmap.
 *
 * @param key The name of the string in Redis; where it is partitioned, what the names of all
 *     strings begin with.
 * @param bits The bits among which those of a key are chosen (m): each hash modulo m.
 * @param hashes The hash of each bit of a key: js, pjw, elf, bkdr, sdbm, djb, dek and fnv, any of
 *     them; or bkdr-seeded alone.
 * @param hashCount The bits of a key, 1 to 16: with bkdr-seeded, where it is required.
 * @param partitioned Whether the names of strings end in a dot and a number: the CRC-32 of a key
 *     modulo the number of strings that m bits need.
 * @param servers Servers as host:port, among which the CRC-32 of a key chooses; empty for the
 *     application's own Redis.
 * @param missing What the keys of a missing string are: unknown or absent.
 * @param create Whether an add creates a missing string; after a loss that denies every key that it
 *     has held.
 * @param allowClear Whether an operator may clear all strings.
 */
public record BitmapProperties(
    @DefaultValue("") String key,
    @DefaultValue("4294967296") long bits,
    @DefaultValue List<String> hashes,
    @Nullable Integer hashCount,
    @DefaultValue("false") boolean partitioned,
    @DefaultValue List<String> servers,
    @DefaultValue("unknown") Missing missing,
    @DefaultValue("false") boolean create,
    @DefaultValue("false") boolean allowClear) {

  /** A server of the list. */
  public record Server(String host, int port) {

    private static final int LAST_PORT = 65_535;

    /** The server of that text, an IPv6 address in brackets; null if it is none. */
    public static @Nullable Server of(String text) {
      int colon = text.lastIndexOf(':');
      try {
        int port = colon < 1 ? 0 : Integer.parseInt(text.substring(colon + 1));
        String host = text.substring(0, Math.max(0, colon));
        boolean bracketed = host.startsWith("[") && host.endsWith("]");
        return port < 1 || port > LAST_PORT
            ? null
            : new Server(bracketed ? host.substring(1, host.length() - 1) : host, port);
      } catch (NumberFormatException e) {
        return null;
      }
    }
  }

  /** The servers that are named, none for the application's own. */
  public List<Server> serverList() {
    return servers.stream().map(Server::of).filter(Objects::nonNull).toList();
  }
}
