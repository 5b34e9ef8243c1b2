import { getRouteApi } from '@tanstack/react-router'
import { CustomTypeEditorPage } from './custom-type-editor-page.tsx'
import { NewCustomTypePage } from './new-custom-type-page.tsx'

export { CustomTypesPage } from './custom-types-page.tsx'

const route = getRouteApi('/signed-in/$p/$a/-/custom-types/$id')

/** `/{p}/{a}/-/custom-types/{id}`: a custom type, or with `new` the form that creates one. */
export function CustomTypePage() {
  const { p, a, id } = route.useParams()
  return id === 'new' ? <NewCustomTypePage p={p} a={a} /> : <CustomTypeEditorPage p={p} a={a} id={id} />
}
