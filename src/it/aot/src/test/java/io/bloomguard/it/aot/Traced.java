package io.bloomguard.it.aot;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.springframework.aot.agent.HintType;
import org.springframework.aot.agent.RecordedInvocation;
import org.springframework.aot.agent.RecordedInvocationsPublisher;
import org.springframework.aot.hint.RuntimeHints;

/**
 * The application under the agent of Spring's tests: at its end it writes what it did by
 * reflection, through the library or to classes of the library and its own, each line with a mark
 * of whether a hint covers it.
 */
final class Traced {

  /** What the agent records calls of: the library, and the parts of Spring that call for it. */
  static final String INSTRUMENTED =
      "+io.bloomguard,+org.springframework.util.ClassUtils,+org.springframework.expression,"
          + "+org.springframework.aop.framework";

  /** Before a call that some hint covers. */
  static final String COVERED = "covered ";

  /** Before one that none covers. */
  static final String MISSING = "missing ";

  /** Before one that needs none. */
  static final String NEEDLESS = "needless ";

  private static final String OURS = "io.bloomguard.";

  private static final String POINTCUTS = "io.bloomguard.aop.internal.method.AnnotatedMethod";

  private static final Set<String> USES = Set.of("invoke", "newInstance", "get", "set");

  /** What passes a call on that another has made. */
  private static final List<String> HELPERS =
      List.of("java.", "jdk.", "org.springframework.util.", "org.springframework.core.");

  private Traced() {}

  /**
   * @param args the file for the list, the file of the metadata, then those of the application
   */
  public static void main(String[] args) throws IOException {
    Collection<RecordedInvocation> recorded = new ConcurrentLinkedQueue<>();
    RecordedInvocationsPublisher.addListener(recorded::add);
    Path list = Path.of(args[0]);
    RuntimeHints hints = ReachabilityMetadata.read(Path.of(args[1]));
    Runtime.getRuntime().addShutdownHook(new Thread(() -> write(list, recorded, hints)));
    AotApplication.main(List.of(args).subList(2, args.length).toArray(new String[0]));
  }

  private static void write(
      Path list, Collection<RecordedInvocation> recorded, RuntimeHints hints) {
    TreeSet<String> lines = new TreeSet<>();
    Set<String> seen = new HashSet<>();
    for (RecordedInvocation call : recorded) {
      String caller = caller(call);
      String subject = subject(call);
      if ((caller.startsWith(OURS) || (isUse(call) && subject.contains(OURS)))
          && seen.add(subject + caller)) {
        lines.add(mark(call, caller, hints) + subject + " from " + caller);
      }
    }
    try {
      Files.write(list, lines);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Whether the call uses what others only look for. */
  private static boolean isUse(RecordedInvocation call) {
    return call.getHintType() != HintType.REFLECTION
        || USES.contains(call.getMethodReference().getMethodName());
  }

  private static String mark(RecordedInvocation call, String caller, RuntimeHints hints) {
    if (isNeedless(call, caller)) {
      return NEEDLESS;
    }
    return call.matches(hints) ? COVERED : MISSING;
  }

  /** Whether a native image makes no such call, or answers it without a hint as the JVM does. */
  private static boolean isNeedless(RecordedInvocation call, String caller) {
    return switch (call.getMethodReference().getMethodName()) {
      // What is absent from the class path is absent from the image.
      case "forName", "loadClass" -> call.getReturnValue() == null;
      // None of our annotations is on a class of the platform or a framework.
      case "getMethods", "getDeclaredMethods", "getDeclaredFields" -> isForeign(call.getInstance());
      // Pointcuts look in the class of every bean for the method that overrides an interface's.
      case "getMethod" -> caller.equals(POINTCUTS) || isForeign(call.getInstance());
      default -> false;
    };
  }

  /** Whether a class is none of ours. A lambda has no name by which a hint could name it. */
  private static boolean isForeign(Class<?> type) {
    return !type.getName().startsWith(OURS) || type.getCanonicalName() == null;
  }

  private static String subject(RecordedInvocation call) {
    Object instance = call.isStatic() ? "" : call.getInstance();
    List<Object> arguments = call.getArguments();
    String argument =
        switch (call.getMethodReference().getMethodName()) {
          case "invoke", "newInstance", "get", "set" -> "";
          case "newProxyInstance" -> Arrays.toString(call.<Class<?>[]>getArgument(1));
          default -> arguments.isEmpty() ? "" : String.valueOf(arguments.get(0));
        };
    return call.getMethodReference() + "(" + instance + " " + argument + ")";
  }

  /** The class whose call it is, or was before it passed through helpers. */
  private static String caller(RecordedInvocation call) {
    return call.getStackFrames()
        .map(StackWalker.StackFrame::getClassName)
        .filter(name -> HELPERS.stream().noneMatch(name::startsWith))
        .filter(name -> !name.startsWith("org.springframework.aot.agent."))
        .findFirst()
        .orElse("none");
  }
}
