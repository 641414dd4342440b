package io.bloomguard.it.recipes.jpa;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** The application of this recipe alone. */
@SpringBootApplication
public class JpaRecipe {}
