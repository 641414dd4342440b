package io.bloomguard.autoconfigure.internal.properties;

import java.time.Duration;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * A filter of its own for each subject, such as for each user: expected-insertions are the keys of
 * one.
 *
 * @param ttl How long a subject's filter lives after its last add.
 * @param maxSubjects The most subjects that live at once; beyond it a new one is refused with 503.
 * @param maxBytes The most memory of Redis that all subjects take; beyond it a new one is refused
 *     with 503.
 * @param missing The answer for a subject without a filter: unknown, or absent, which denies the
 *     keys of a subject whose time is over.
 */
public record PerSubjectProperties(
    @DefaultValue("7d") Duration ttl,
    @DefaultValue("1000000") long maxSubjects,
    @DefaultValue("1GB") DataSize maxBytes,
    @DefaultValue("unknown") Missing missing) {}
