import type { PortableApp } from '#archive/app-format.ts'
import { shownName } from '#shared/unicode.ts'

/**
 * Returns the app with names that a request could contain. An archive can be older than the check of names, or written
 * by any program. A name without a visible character is replaced by the uid. A view has no uid, so its name is replaced
 * by the uid of its model.
 */
export function withShownNames(portable: PortableApp): PortableApp {
  const { app, models, customFieldTypes, views, roles } = portable
  return {
    ...portable,
    app: { ...app, name: shownName(app.name, '') || app.uid },
    models: named(models).map(withShownFields),
    customFieldTypes: named(customFieldTypes).map(withShownFields),
    views: views.map((view) => ({ ...view, name: shownName(view.name, '') || view.modelUid })),
    roles: named(roles),
  }
}

/**
 * Removes invisible characters from names. The uid replaces a name that is then empty or equal to the name of another
 * part.
 */
function named<Part extends { uid: string; name: string }>(parts: Part[]): Part[] {
  const taken = new Set(parts.map(({ name }) => name))
  return parts.map((part) => {
    const name = shownName(part.name, '') || part.uid
    if (name === part.name) return part
    const free = taken.has(name) ? part.uid : name
    taken.add(free)
    return { ...part, name: free }
  })
}

type Field = PortableApp['models'][number]['fields'][number]

const withShownFields = <Part extends { fields: Field[] }>(part: Part): Part => ({
  ...part,
  fields: part.fields.map(shownField),
})

function shownField(field: Field): Field {
  // Unlike other names, the name of a field may be empty.
  const name = shownName(field.name, field.uid)
  const { tab } = field
  return typeof tab === 'string' ? { ...field, name, tab: shownName(tab, '') || null } : { ...field, name }
}
