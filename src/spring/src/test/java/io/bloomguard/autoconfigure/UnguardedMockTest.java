package io.bloomguard.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

/** An object that a test has put in the place of an annotated bean wants no guard. */
@ExtendWith(OutputCaptureExtension.class)
@SpringBootTest(
    classes = UnguardedContextsTest.Shop.class,
    webEnvironment = SpringBootTest.WebEnvironment.NONE,
    properties = "spring.config.location=optional:classpath:/none/")
class UnguardedMockTest {

  @MockitoBean private UnguardedContextsTest.Lookups products;
  @Autowired private ApplicationContext context;

  @Test
  void mockIsNotToldOf(CapturedOutput output) {
    assertThat(context.getBean("products")).isSameAs(products);
    assertThat(output).contains("Started UnguardedMockTest").doesNotContain("Nothing guards");
  }
}
