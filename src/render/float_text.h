/* Floats as text. */
#pragma once

#include <stdbool.h>

/* Writes at most FLOAT_TEXT bytes and returns where they end: the shortest text that reads back as the same float32
   (`narrow`) or double, with a point or an exponent in it, or NaN, Infinity, -Infinity. */
#define FLOAT_TEXT 32
char *float_put(char *text, double value, bool narrow);
