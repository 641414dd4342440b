package io.bloomguard.server;

import io.bloomguard.guard.StartRefusedException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.security.autoconfigure.SecurityProperties;
import org.springframework.security.authentication.dao.DaoAuthenticationProvider;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.core.userdetails.UsernameNotFoundException;
import org.springframework.security.crypto.factory.PasswordEncoderFactories;
import org.springframework.security.crypto.password.PasswordEncoder;

/**
 * The login of the one user of {@code spring.security.user}.
 *
 * <p>It keeps the password as it is configured. A store that can change passwords, as Spring
 * Security's own in memory can, would turn a plain password into a slow hash at the first login,
 * and every later call would pay for it.
 */
final class OperatorLogin {

  private static final String HASHED = "\\{.+}.*";

  private OperatorLogin() {}

  /**
   * Checks credentials against the configured user.
   *
   * @throws StartRefusedException if no password is configured
   */
  static DaoAuthenticationProvider provider(SecurityProperties.User user) {
    DaoAuthenticationProvider provider = new DaoAuthenticationProvider(users(user));
    provider.setPasswordEncoder(
        user.getPassword().matches(HASHED)
            ? PasswordEncoderFactories.createDelegatingPasswordEncoder()
            : new PlainPassword());
    return provider;
  }

  static UserDetailsService users(SecurityProperties.User user) {
    if (user.isPasswordGenerated()) {
      throw new StartRefusedException(
          "The profile '" + SecuredConfiguration.PROFILE + "' is on, but login is impossible",
          "Set spring.security.user.password, or for bearer tokens"
              + " spring.security.oauth2.resourceserver.jwt.issuer-uri, .jwk-set-uri or"
              + " .public-key-location; or leave the profile out of spring.profiles.active: then no"
              + " login is needed.");
    }
    return name -> {
      if (!name.equalsIgnoreCase(user.getName())) {
        throw new UsernameNotFoundException("No such user");
      }
      return user(user);
    };
  }

  /** A copy each time, because Spring Security erases the password of what it has authenticated. */
  private static UserDetails user(SecurityProperties.User user) {
    return User.withUsername(user.getName())
        .password(user.getPassword())
        .roles(user.getRoles().toArray(new String[0]))
        .build();
  }

  /** A password that is configured as it is typed, compared in constant time. */
  static final class PlainPassword implements PasswordEncoder {

    @Override
    public @Nullable String encode(@Nullable CharSequence typed) {
      return typed == null ? null : typed.toString();
    }

    @Override
    public boolean matches(@Nullable CharSequence typed, @Nullable String configured) {
      return typed != null
          && configured != null
          && MessageDigest.isEqual(bytes(typed.toString()), bytes(configured));
    }

    private static byte[] bytes(String text) {
      return text.getBytes(StandardCharsets.UTF_8);
    }
  }
}
