import { type ComponentType, lazy } from 'react'
import { loadScript } from '#admin/lib/reload-guard.ts'
import type { FieldTypeName } from '#shared/fields/index.ts'
import type { FieldSettingsProps } from './settings-props.ts'

type SettingsForms = { [T in FieldTypeName]: ComponentType<FieldSettingsProps<T>> }

function form<T extends FieldTypeName>(importer: () => Promise<ComponentType<FieldSettingsProps<T>>>) {
  return lazy(async () => ({ default: await loadScript(importer) }))
}

/** The settings form of each type of field, downloaded when it is first opened. */
export const settingsForms: SettingsForms = {
  TEXT: form<'TEXT'>(async () => (await import('./text/settings.tsx')).TextSettingsForm),
  RICH_TEXT: form<'RICH_TEXT'>(async () => (await import('./rich-text/settings.tsx')).RichTextSettingsForm),
  MARKDOWN: form<'MARKDOWN'>(async () => (await import('./markdown/settings.tsx')).MarkdownSettingsForm),
  NUMBER: form<'NUMBER'>(async () => (await import('./number/settings.tsx')).NumberSettingsForm),
  DATE: form<'DATE'>(async () => (await import('./date/settings.tsx')).DateSettingsForm),
  CHECKBOX: form<'CHECKBOX'>(async () => (await import('./checkbox/settings.tsx')).CheckboxSettingsForm),
  SELECT: form<'SELECT'>(async () => (await import('./select/settings.tsx')).SelectSettingsForm),
  REFERENCE: form<'REFERENCE'>(async () => (await import('./reference/settings.tsx')).ReferenceSettingsForm),
}
