extension Unicode.Scalar {
    /// Whether the character hides in text, or a terminal obeys it: control and format characters, and what ends a
    /// line.
    ///
    /// A terminal takes U+009B for the beginning of a command, and format characters reverse the direction of text. So
    /// a name with such a character could forge a line of a log, or look like another name.
    package var isMisleading: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
