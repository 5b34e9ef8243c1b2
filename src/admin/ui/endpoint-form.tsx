import { Button, Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import type { FormState } from '#admin/lib/use-form.ts'
import { FormProblem } from './form-problem.tsx'
import { FormStack } from './form-stack.tsx'
import { UnsavedGuard } from './unsaved-guard.tsx'

interface EndpointFormProps {
  form: FormState
  /** Asks for confirmation before navigation discards unsaved input. */
  guarded?: boolean
  /** Whether the children are sections, which have their own spacing. */
  ofSections?: boolean
  autoComplete?: 'off'
  children: ReactNode
}

/** The form element of `useEndpointForm`, with the message about the whole form above its inputs. */
export function EndpointForm({
  form,
  guarded = false,
  ofSections = false,
  autoComplete,
  children,
}: EndpointFormProps) {
  const content = (
    <>
      <FormProblem text={form.problem} />
      {children}
    </>
  )
  return (
    <form {...form.formProps} {...(autoComplete ? { autoComplete } : {})}>
      {guarded && <UnsavedGuard when={form.isDirty} />}
      {ofSections ? content : <FormStack>{content}</FormStack>}
    </form>
  )
}

interface SaveBarProps {
  form: FormState
  label?: string
  disabled?: boolean
  /** Margin below the bar, for a form of sections. */
  mb?: 'xl'
  children?: ReactNode
}

/** The save button of a settings form. Renders nothing if the form is read-only. */
export function SaveBar({ form, label, disabled = false, mb, children }: SaveBarProps) {
  const common = useTranslations('common')
  if (form.readOnly) return null
  return (
    <Group gap="sm" {...(mb ? { mb } : {})}>
      <Button type="submit" loading={form.saving} disabled={disabled}>
        {label ?? common('save')}
      </Button>
      {children}
    </Group>
  )
}
