package io.bloomguard.redis.internal.image;

import io.bloomguard.filter.internal.Fingerprint;
import java.util.ArrayList;
import java.util.List;

/** The differences of a foreign head from this process' settings, and the remedy. */
public final class ForeignHead {

  private static final String SECRET =
      "(bloomguard.hash-secret, and bloomguard.other-hash-secrets while it changes)";

  private ForeignHead() {}

  /**
   * The explanation of a foreign head, to follow the filter's name and a colon.
   *
   * @param differences of {@link #differences}
   */
  public static String message(String differences) {
    return "the filter in Redis was made with other settings than those of this process: "
        + differences
        + ". Use the same on every node, or another key prefix, or delete the filter's keys if no"
        + " process uses them any more";
  }

  /** What differs; every cause if the head does not name its scheme. */
  public static String differences(RedisHead head, Fingerprint own) {
    HashScheme.Mark mark = HashScheme.Mark.parse(head.scheme());
    HashScheme ours = HashScheme.of(own);
    boolean changes = mark.own().equals(ours.text()) && mark.relation() == '>';
    HashScheme theirs = HashScheme.parse(changes ? mark.other() : mark.own());
    if (theirs == null || theirs.equals(ours)) {
      return unknown(own.filter());
    }
    String named = String.join("; ", named(theirs, ours, own.filter()));
    return changes ? "it changes to others: " + named : named;
  }

  private static List<String> named(HashScheme theirs, HashScheme ours, String filter) {
    List<String> named = new ArrayList<>();
    String version = "version of the canonical form of keys is";
    String same = "(use the same version of Bloomguard)";
    add(named, version, theirs.canonical(), ours.canonical(), same);
    add(named, "hash is", theirs.hash(), ours.hash(), "(" + property(filter, "hash") + ")");
    add(named, "hash secret has the identifier", id(theirs), id(ours), SECRET);
    add(
        named,
        "number of partitions is",
        theirs.partitions(),
        ours.partitions(),
        "(" + property(filter, "expected-insertions") + " and false-positive-probability)");
    String keys = "(" + property(filter, "keys") + ")";
    add(named, "folding of keys is", theirs.folding().text(), ours.folding().text(), keys);
    return named;
  }

  /** Every cause of a foreign head. */
  public static String unknown(String filter) {
    return "its format (use the same version of Bloomguard), hash ("
        + property(filter, "hash")
        + "), hash secret "
        + SECRET
        + ", number of partitions ("
        + property(filter, "expected-insertions")
        + " and false-positive-probability) or folding of keys ("
        + property(filter, "keys")
        + ") is another";
  }

  private static void add(
      List<String> named, String what, Object theirs, Object ours, String remedy) {
    if (!theirs.equals(ours)) {
      named.add("its " + what + " " + theirs + ", here " + ours + " " + remedy);
    }
  }

  private static String id(HashScheme scheme) {
    return scheme.secretId().isEmpty() ? "(none)" : scheme.secretId();
  }

  private static String property(String filter, String name) {
    return "bloomguard.filters." + filter + "." + name;
  }
}
