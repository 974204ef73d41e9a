/** The kinds of self-service flows. */
export type FlowKind = 'login' | 'registration' | 'recovery' | 'verification' | 'settings'
