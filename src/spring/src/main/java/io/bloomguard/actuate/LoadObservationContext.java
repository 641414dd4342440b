package io.bloomguard.actuate;

/** The observed load of a key by the application's loader. It does not hold the key. */
public final class LoadObservationContext extends FilterObservationContext {

  LoadObservationContext(String filter) {
    super(filter);
  }
}
