import Foundation

/// Returns a text about an object for programmers.
public func CFCopyDescription(_ cf: CFTypeRef!) -> CFString! {
    cf.map { NSString(string: ($0 as? NSObject)?.debugDescription ?? String(describing: $0)) }
}

/// Writes a text about an object to standard error.
public func CFShow(_ obj: CFTypeRef!) {
    let text = CFCopyDescription(obj).map { $0 as String } ?? "(null)"
    FileHandle.standardError.write(Data((text + "\n").utf8))
}
