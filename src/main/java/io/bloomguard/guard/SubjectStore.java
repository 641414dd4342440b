package io.bloomguard.guard;

/**
 * A store that has one small filter for each subject, such as for each user. It knows no key
 * without a subject: such a check is {@link Membership#UNKNOWN}, and such an add fails.
 */
public interface SubjectStore extends MembershipStore {

  /**
   * The filter of one subject. Sends no request and keeps nothing.
   *
   * @param subject keeps {@link Subjects the rules}
   */
  MembershipStore of(String subject);
}
