import { useQuery } from '@tanstack/react-query'
import { type RefObject, useEffect, useState } from 'react'
import { loadScript } from '#admin/base/reload-guard.ts'
import { finishInputs } from '#admin/fields/unfinished.ts'
import { errorText } from '#admin/lib/errors.ts'
import { customTypesQuery } from '#admin/lib/queries.ts'
import { queryClient } from '#admin/lib/query-client.ts'
import { toast } from '#admin/lib/toast.ts'
import type { Document } from '#shared/contract/documents.ts'
import type { Model } from '#shared/contract/models.ts'
import { type CustomType, namesCustomTypes } from '#shared/fields/custom-types.ts'
import { documentQuery } from '../documents.queries.ts'
import type { LeftValue } from './carry-values.ts'
import { useEditor, useHasUnsaved } from './editor-context.ts'
import { type FormFields, formFields, isSameForm, resolvedFields } from './form-fields.ts'
import type { CopyStart } from './use-unsaved-copy.ts'
import type { Values } from './values.ts'

/** Input of the previous form, carried over to the form of the changed model. */
export interface CarriedWork extends CopyStart {
  values: Values
  version: number | null
}

/** The initial state of a form. */
export interface FormStart {
  model: Model
  /** null: a new document. */
  document: Document | null
  carried?: CarriedWork
}

interface Options {
  /** The current model. */
  latest: Model
  copy: { session: string; left: readonly LeftValue[] }
  renew: (next: FormStart) => void
  /** The form's element. */
  page: RefObject<HTMLElement | null>
}

const none: readonly CustomType[] = []

/**
 * Detects that the fields of the model, or a custom type in them, have changed since the form was mounted. A form with
 * neither unsaved input nor focus is renewed automatically. Otherwise `renew` replaces the form on request and carries
 * over the input.
 */
export function useFormChange({ latest, copy, renew, page }: Options) {
  const { model, place, store } = useEditor()
  const hasUnsaved = useHasUnsaved()
  const { data: types = none } = useQuery(
    {
      ...customTypesQuery(place.p, place.a),
      enabled: [model, latest].some(({ fields }) => namesCustomTypes(fields)),
    },
    queryClient,
  )
  const [before, setBefore] = useState<FormFields | null>(() => formFields(model, types))
  const first = before ?? formFields(model, types)
  if (first !== before) setBefore(first)
  const now = formFields(latest, types)
  const isChanged = first !== null && now !== null && !isSameForm(first, now)

  async function begin() {
    if (!first || !now) return
    try {
      await finishInputs()
      const id = store.document?.id
      const document = id ? await queryClient.fetchQuery({ ...documentQuery(place, id), staleTime: 0 }) : null
      const { carryValues } = await loadScript(() => import('./carry-values.ts'))
      const typed = store.hasUnsaved() ? store.snapshot() : { values: {}, version: null }
      const { values, left } = carryValues(typed.values, resolvedFields(first), resolvedFields(now))
      const carried = {
        values,
        version: typed.version,
        session: copy.session,
        left: [...copy.left, ...left],
      }
      renew({ model: latest, document, carried })
    } catch (error) {
      toast.error(errorText(error))
    }
  }

  const isIdle = isChanged && !hasUnsaved && !page.current?.contains(window.document.activeElement)
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once for each change, while the form is idle.
  useEffect(() => {
    if (isIdle) void begin()
  }, [isIdle])

  return { isChanged, renew: begin }
}
