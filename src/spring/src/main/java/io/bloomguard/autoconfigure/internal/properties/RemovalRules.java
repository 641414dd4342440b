package io.bloomguard.autoconfigure.internal.properties;

/** The rules for filters from which keys are removed: each row must have counted exactly once. */
final class RemovalRules {

  private RemovalRules() {}

  static void validate(String prefix, SourceProperties source, ReplicaProperties replica) {
    if (replica.required()) {
      throw new InvalidBloomguardSettingException(
          prefix
              + ".replica.enabled is true, but the layout is 'counting': the copy repeats additions"
              + " and receives no removals",
          "Leave the replica out, or use the layout 'blocked'.");
    }
    source.requireEachRowOnce(prefix + ".source");
  }
}
