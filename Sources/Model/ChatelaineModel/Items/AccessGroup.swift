/// The name of an access group or of an application, whose identifier is the name of its own group.
package struct AccessGroup: BytewiseText, ExpressibleByStringInterpolation {
    package let text: String

    package init(_ text: String) { self.text = text }

    package init(stringLiteral text: String) { self.text = text }
}
