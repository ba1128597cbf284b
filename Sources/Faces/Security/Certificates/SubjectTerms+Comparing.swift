import ChatelaineModel
import Foundation

extension SubjectTerms {
    /// Whether a common name matches the terms; nil, for a certificate without one, does not.
    func admit(_ name: String?) -> Bool {
        guard let name else { return false }
        return terms.allSatisfy { $0.admits(name, options) }
    }

    private var options: String.CompareOptions {
        var options: String.CompareOptions = []
        if ignoresCase { options.insert(.caseInsensitive) }
        if ignoresDiacritics { options.insert(.diacriticInsensitive) }
        if ignoresWidth { options.insert(.widthInsensitive) }
        return options
    }
}

extension SubjectTerms.Term {
    fileprivate func admits(_ name: String, _ options: String.CompareOptions) -> Bool {
        switch place {
        case .anywhere: name.range(of: text, options: options) != nil
        case .start: name.range(of: text, options: options.union(.anchored)) != nil
        case .end: name.range(of: text, options: options.union([.anchored, .backwards])) != nil
        case .whole: name.compare(text, options: options) == .orderedSame
        }
    }
}
