package io.bloomguard.generation.internal.feed;

import io.bloomguard.filter.internal.KeyRules;
import java.time.Duration;

/**
 * The settings of a filter's feed of changes.
 *
 * @param filter the filter's name
 * @param maxLag the age of the feed beyond which the filter is in doubt
 * @param doubts whether the filter then cannot tell of a key that it lacks; otherwise it calls the
 *     key absent all the same
 * @param keyRules the rules for the keys of changes
 * @param margin the time for which a new generation may lack keys whose deletion is still to come:
 *     nothing is removed from it before
 */
public record FeedSettings(
    String filter, Duration maxLag, boolean doubts, KeyRules keyRules, Duration margin) {}
