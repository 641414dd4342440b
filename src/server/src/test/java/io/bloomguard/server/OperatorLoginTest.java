package io.bloomguard.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.springframework.boot.security.autoconfigure.SecurityProperties;
import org.springframework.security.authentication.BadCredentialsException;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.authentication.dao.DaoAuthenticationProvider;
import org.springframework.security.core.userdetails.UserDetailsPasswordService;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.crypto.factory.PasswordEncoderFactories;

class OperatorLoginTest {

  private static final String TYPED = "a b:\u00e9";

  @Test
  void aPlainPasswordStaysPlainAfterALogin() {
    SecurityProperties.User user = user(TYPED);
    UserDetailsService users = OperatorLogin.users(user);
    DaoAuthenticationProvider login = OperatorLogin.provider(user);
    for (int i = 0; i < 2; i++) {
      assertThat(authenticates(login, "operator", TYPED)).isTrue();
      assertThat(users.loadUserByUsername("operator").getPassword()).isEqualTo(TYPED);
    }
    assertThat(users).isNotInstanceOf(UserDetailsPasswordService.class);
  }

  /** What Spring Security computes for an unknown name must not be a slow hash either. */
  @Test
  void aPlainPasswordIsComparedAsItIs() {
    OperatorLogin.PlainPassword plain = new OperatorLogin.PlainPassword();
    assertThat(plain.encode("typed")).isEqualTo("typed");
    assertThat(plain.matches("typed", "typed")).isTrue();
    assertThat(plain.matches("typeD", "typed")).isFalse();
    assertThat(plain.matches("type", "typed")).isFalse();
    assertThat(plain.matches(null, "typed")).isFalse();
    assertThat(plain.upgradeEncoding("typed")).isFalse();
  }

  @Test
  void refusesOthers() {
    DaoAuthenticationProvider login = OperatorLogin.provider(user(TYPED));
    assertThat(authenticates(login, "operator", "wrong")).isFalse();
    assertThat(authenticates(login, "operator", "")).isFalse();
    assertThat(authenticates(login, "another", TYPED)).isFalse();
  }

  @Test
  void takesAHashWithItsName() {
    String hash = PasswordEncoderFactories.createDelegatingPasswordEncoder().encode(TYPED);
    assertThat(hash).startsWith("{bcrypt}");
    DaoAuthenticationProvider login = OperatorLogin.provider(user(hash));
    assertThat(authenticates(login, "operator", TYPED)).isTrue();
    assertThat(authenticates(login, "operator", hash)).isFalse();
    assertThatThrownBy(() -> OperatorLogin.provider(new SecurityProperties().getUser()))
        .hasMessageContaining("login is impossible");
  }

  private static boolean authenticates(
      DaoAuthenticationProvider login, String name, String password) {
    try {
      return login
          .authenticate(UsernamePasswordAuthenticationToken.unauthenticated(name, password))
          .isAuthenticated();
    } catch (BadCredentialsException e) {
      return false;
    }
  }

  private static SecurityProperties.User user(String password) {
    SecurityProperties.User user = new SecurityProperties().getUser();
    user.setName("operator");
    user.setPassword(password);
    return user;
  }
}
