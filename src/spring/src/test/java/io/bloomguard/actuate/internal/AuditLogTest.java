package io.bloomguard.actuate.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.security.Principal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class AuditLogTest {

  @Test
  void namesTheUser(CapturedOutput output) {
    write("anna");
    assertThat(output).contains("rebuild of filter 'products' by 'anna' from unknown: done");
  }

  @Test
  void aUserCannotForgeALine(CapturedOutput output) {
    write("eve\r\nrollback\u2028of\u0085filter\u202e'\u0000");
    assertThat(output.getAll().lines().filter(line -> line.matches(".*(eve|rollback|done).*")))
        .singleElement()
        .asString()
        .contains("by 'eve??rollback?of?filter?'?' from unknown: done");
  }

  @Test
  void aLongNameIsCut(CapturedOutput output) {
    write("x".repeat(1_000));
    assertThat(output).contains("by '" + "x".repeat(100) + "' from unknown");
  }

  @Test
  void saysWhyAChangeWasRefusedAndThrowsOn(CapturedOutput output) {
    RuntimeException refusal = new IllegalStateException("busy\nbusy");
    assertThatThrownBy(() -> refuse(refusal)).isSameAs(refusal);
    assertThatThrownBy(() -> refuse(new IllegalStateException()))
        .isInstanceOf(IllegalStateException.class);
    assertThat(output)
        .contains("rollback of filter 'products' by anonymous from JMX: refused, busy?busy")
        .contains("refused, IllegalStateException");
  }

  private static void write(String user) {
    AuditLog.write(Caller.of(new As(user)), "rebuild", "products", () -> "done", done -> done);
  }

  private static void refuse(RuntimeException refusal) {
    AuditLog.write(
        Caller.JMX,
        "rollback",
        "products",
        () -> {
          throw refusal;
        },
        done -> "done");
  }

  /** Whoever calls, as Actuator has it. */
  private record As(String user) implements SecurityContext {

    @Override
    public Principal getPrincipal() {
      return () -> user;
    }

    @Override
    public boolean isUserInRole(String role) {
      return false;
    }
  }
}
