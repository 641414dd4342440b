package io.bloomguard.autoconfigure.internal.wiring;

import io.bloomguard.guard.StartRefusedException;
import java.util.Arrays;
import org.springframework.beans.factory.ListableBeanFactory;

/**
 * The bean of the application that something reads from: the one that is named, or the only one.
 */
final class ChosenBean {

  private ChosenBean() {}

  /**
   * The only bean of a type, or the primary one.
   *
   * @param user what needs it, such as {@code Filter 'users' has a JDBC source, which needs one
   *     data source}
   * @param remedy what to do where there are several
   * @throws StartRefusedException if there is none that is the only one
   */
  static <T> T only(ListableBeanFactory beans, Class<T> type, String user, String remedy) {
    T only = beans.getBeanProvider(type).getIfUnique();
    if (only == null) {
      throw new StartRefusedException(
          user + "; this application has " + Arrays.toString(beans.getBeanNamesForType(type)),
          remedy + " one as @Primary.");
    }
    return only;
  }

  /** Refuses a setting whose value is no bean of a type that would do. */
  static StartRefusedException unknown(
      ListableBeanFactory beans, String property, String name, Class<?> type, String remedy) {
    return new StartRefusedException(
        "%s is '%s', which is no bean of type %s; available: %s"
            .formatted(
                property, name, type.getName(), Arrays.toString(beans.getBeanNamesForType(type))),
        remedy);
  }
}
