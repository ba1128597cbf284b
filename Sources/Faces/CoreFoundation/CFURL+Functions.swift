import Foundation

/// The spelling of a path; Linux has one.
public enum CFURLPathStyle: CFIndex, Sendable {
    case cfurlposixPathStyle = 0
}

/// Makes the locator of a file; a relative path is below the working folder.
public func CFURLCreateWithFileSystemPath(
    _ allocator: CFAllocator!, _ filePath: CFString!, _ pathStyle: CFURLPathStyle, _ isDirectory: Bool
) -> CFURL! {
    filePath.map { NSURL(fileURLWithPath: $0 as String, isDirectory: isDirectory) }
}

/// Returns the path of a locator, decoded; nil where it has none.
public func CFURLCopyFileSystemPath(_ anURL: CFURL!, _ pathStyle: CFURLPathStyle) -> CFString! {
    anURL?.path.map { NSString(string: $0) }
}
