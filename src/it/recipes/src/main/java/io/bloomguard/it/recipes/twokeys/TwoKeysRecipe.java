package io.bloomguard.it.recipes.twokeys;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** The application of this recipe alone. */
@SpringBootApplication
public class TwoKeysRecipe {}
