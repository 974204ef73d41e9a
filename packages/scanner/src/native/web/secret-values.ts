/** A value in JSON that isn't masked, empty, or a placeholder; the source of a regular expression. */
export const unmasked: string = String.raw`(?!\*|•|x{3}|<|\$\{|change|redacted|hidden|string"|example)[^"\s]{4,200}`
