package io.bloomguard.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.aot.hint.predicate.RuntimeHintsPredicates.reflection;

import io.bloomguard.actuate.internal.OperatedFilters;
import io.bloomguard.generation.KeyExplanation;
import java.lang.reflect.RecordComponent;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.type.filter.AssignableTypeFilter;
import org.springframework.javapoet.ClassName;
import org.springframework.util.ClassUtils;

class EndpointHintsTest {

  /** The operations declare no more of most answers than their common interface. */
  @Test
  void everyAnswerIsWrittenAsJson() {
    RuntimeHints hints = hints(BloomFiltersEndpoint.class, BloomFiltersWebExtension.class);
    List<Class<?>> answers = answers();

    assertThat(answers).contains(BloomFiltersEndpoint.Filters.class);
    assertThat(answers).allSatisfy(answer -> assertWritten(hints, answer));
    assertWritten(hints, KeyExplanation.Bit.class);
  }

  @Test
  void theDetailsOfHealthAreWrittenAsJson() {
    RuntimeHints hints = hints(BloomguardHealthIndicator.class);

    assertWritten(hints, StoreServers.Server.class);
  }

  private static List<Class<?>> answers() {
    ClassPathScanningCandidateComponentProvider scanner =
        new ClassPathScanningCandidateComponentProvider(false);
    scanner.addIncludeFilter(new AssignableTypeFilter(OperationResponseBody.class));
    return scanner.findCandidateComponents(EndpointHintsTest.class.getPackageName()).stream()
        .<Class<?>>map(found -> ClassUtils.resolveClassName(found.getBeanClassName(), null))
        .filter(Class::isRecord)
        .toList();
  }

  private static void assertWritten(RuntimeHints hints, Class<?> record) {
    for (RecordComponent component : record.getRecordComponents()) {
      assertThat(reflection().onMethodInvocation(component.getAccessor()))
          .as(component.toString())
          .accepts(hints);
    }
  }

  /** The hints of beans that are processed, of which none is made. */
  private static RuntimeHints hints(Class<?>... beans) {
    DefaultGenerationContext generation =
        new DefaultGenerationContext(
            new ClassNameGenerator(ClassName.get("generated", "Application")),
            new InMemoryGeneratedFiles());
    GenericApplicationContext context = new GenericApplicationContext();
    for (Class<?> bean : beans) {
      context.registerBean(bean);
    }
    context.registerBean(OperatedFilters.class);
    context.registerBean(StoreServersOfTest.class);
    new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
    return generation.getRuntimeHints();
  }

  static final class StoreServersOfTest implements StoreServers {
    @Override
    public List<Server> servers() {
      return List.of();
    }
  }
}
