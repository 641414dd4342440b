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
    if (theirs.canonical() != ours.canonical()) {
      named.add(
          differs("version of the canonical form of keys is", theirs.canonical(), ours.canonical())
              + " (use the same version of Bloomguard)");
    }
    if (!theirs.hash().equals(ours.hash())) {
      named.add(
          differs("hash is", theirs.hash(), ours.hash()) + " (" + property(filter, "hash") + ")");
    }
    if (!theirs.secretId().equals(ours.secretId())) {
      named.add(differs("hash secret has the identifier", id(theirs), id(ours)) + " " + SECRET);
    }
    if (theirs.partitions() != ours.partitions()) {
      named.add(
          differs("number of partitions is", theirs.partitions(), ours.partitions())
              + " ("
              + property(filter, "expected-insertions")
              + " and false-positive-probability)");
    }
    if (!theirs.folding().equals(ours.folding())) {
      named.add(
          differs("folding of keys is", theirs.folding().text(), ours.folding().text())
              + " ("
              + property(filter, "keys")
              + ")");
    }
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

  private static String differs(String what, Object theirs, Object ours) {
    return "its " + what + " " + theirs + ", here " + ours;
  }

  private static String id(HashScheme scheme) {
    return scheme.secretId().isEmpty() ? "(none)" : scheme.secretId();
  }

  private static String property(String filter, String name) {
    return "bloomguard.filters." + filter + "." + name;
  }
}
