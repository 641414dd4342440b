package io.bloomguard.guard.internal;

import io.bloomguard.guard.Membership;
import io.bloomguard.guard.MembershipStore;

/**
 * A store that has one small filter for each subject, such as for each user. It needs a subject for
 * each key: a check without one is {@link Membership#UNKNOWN}, and an add without one fails.
 */
public interface SubjectStore extends MembershipStore {

  /**
   * {@return the filter of one subject} Sends no request and keeps nothing.
   *
   * @param subject keeps {@link Subjects the rules}
   */
  MembershipStore of(String subject);
}
