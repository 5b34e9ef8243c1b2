/** An app chosen from an archive, and its uid on the server. */
export interface NamedApp {
  from: string
  /** undefined: the app keeps its uid in the archive, or in the plan of the import. */
  uid: string | undefined
}

/** Parses `--app blog`, or `--app blog=blog-2` for a different uid on the server. */
export function readNamedApps(given: readonly string[]): NamedApp[] {
  return given.map((text) => {
    const at = text.indexOf('=')
    return at < 0 ? { from: text, uid: undefined } : { from: text.slice(0, at), uid: text.slice(at + 1) }
  })
}

/** Thrown if the archive has no app with that uid. */
export class NoSuchApp extends Error {
  readonly app: string
  readonly apps: readonly string[]
  constructor(app: string, apps: readonly string[]) {
    super(app)
    this.app = app
    this.apps = apps
  }
}

/** Throws `NoSuchApp` for the first app that is not in `apps`. */
export function requireKnown(named: readonly NamedApp[], apps: readonly string[]): void {
  const unknown = named.find(({ from }) => !apps.includes(from))
  if (unknown) throw new NoSuchApp(unknown.from, apps)
}
