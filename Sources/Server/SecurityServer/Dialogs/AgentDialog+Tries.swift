extension AgentDialog {
    /// Counts secrets that are typed, where the caller could have typed them.
    struct Tries: Sendable {
        /// Takes the place of a typed secret, which may then be checked; followed by `note` or `giveBack`.
        let take: @Sendable () -> DialogTries.Place?
        let giveBack: @Sendable () -> Void
        /// Notes a wrong secret, and says whether another one may be typed.
        let note: @Sendable (PasscodeStanding, DialogTries.Place) -> Bool

        static let uncounted = Tries(take: { .uncounted }, giveBack: {}, note: { _, _ in true })
    }
}
