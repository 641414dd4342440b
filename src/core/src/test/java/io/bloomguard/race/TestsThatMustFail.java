package io.bloomguard.race;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import org.junit.jupiter.api.Test;

/** Runs the tests of a class; ends with 0 once Lincheck finds wrong results in one of them. */
final class TestsThatMustFail {

  private TestsThatMustFail() {}

  /**
   * @param arguments the name of the class
   */
  public static void main(String[] arguments) throws Exception {
    Class<?> type = Class.forName(arguments[0]);
    Constructor<?> constructor = type.getDeclaredConstructor();
    constructor.setAccessible(true);
    for (Method method : type.getDeclaredMethods()) {
      if (method.isAnnotationPresent(Test.class)) {
        method.setAccessible(true);
        try {
          method.invoke(constructor.newInstance());
          System.out.println(method.getName() + " finds nothing");
        } catch (InvocationTargetException e) {
          // Where the steps to it are not the same a second time, as in a journal, which
          // mixes hashes at random, Lincheck says so in an exception that quotes the results.
          String message = e.getCause().getMessage();
          System.out.println(method.getName() + " finds " + e.getCause());
          if (message != null && message.contains("Invalid execution results")) {
            System.exit(0);
          }
        }
      }
    }
    System.exit(1);
  }
}
