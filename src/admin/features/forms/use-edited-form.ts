import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { errorText } from '#admin/lib/errors.ts'
import { toast } from '#admin/lib/toast.ts'
import type { Form } from '#shared/contract/forms.ts'
import { formQuery } from './forms.queries.ts'

/**
 * Keeps the form with which the user began, although the loaded form changes. `reload` replaces it by the current one.
 */
export function useEditedForm(p: string, loaded: Form) {
  const queryClient = useQueryClient()
  const [form, setForm] = useState(loaded)
  async function reload(): Promise<void> {
    try {
      setForm(await queryClient.fetchQuery({ ...formQuery(p, form._id), staleTime: 0 }))
    } catch (error) {
      toast.error(errorText(error))
    }
  }
  return { form, setForm, reload }
}
