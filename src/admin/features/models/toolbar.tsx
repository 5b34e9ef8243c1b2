import { ActionIcon, Button, Group, Text, Tooltip } from '@mantine/core'
import { IconArrowBackUp, IconArrowForwardUp, IconDeviceFloppy } from '@tabler/icons-react'
import { useEffect, useRef } from 'react'
import { useTranslations } from 'use-intl'
import { shortcutText, useShortcut } from '#admin/lib/shortcuts.ts'
import { SaveState } from '#admin/ui/save-state.tsx'
import classes from './model-editor.module.css'
import type { ModelEditorWork } from './use-editor-work.ts'

/** The sticky toolbar: save, undo, redo, and the save state. */
export function Toolbar({ work }: { work: ModelEditorWork }) {
  const { editing, state, dirty, phase } = work
  const t = useTranslations('models.editor')
  const saving = phase === 'saving'
  const undo = () => editing.dispatch({ type: 'undo' })
  const redo = () => editing.dispatch({ type: 'redo' })

  useShortcut('mod+s', t('save'), () => {
    if (dirty) void editing.save()
  })
  useUndoKeys(undo, redo)

  return (
    // biome-ignore lint/a11y/useSemanticElements: HTML has no element for a toolbar.
    <div className={classes.toolbar} role="group" aria-label={t('toolbar')}>
      <div className={classes.state}>
        <Words work={work} />
      </div>
      <Group gap={4} wrap="nowrap">
        <Tool label={t('undo')} keys="mod+z" disabled={state.past.length === 0} run={undo}>
          <IconArrowBackUp size={20} />
        </Tool>
        <Tool label={t('redo')} keys="mod+shift+z" disabled={state.future.length === 0} run={redo}>
          <IconArrowForwardUp size={20} />
        </Tool>
      </Group>
      <Tooltip label={shortcutText('mod+s')}>
        <Button
          leftSection={<IconDeviceFloppy size={16} />}
          loading={saving}
          disabled={!dirty}
          onClick={() => void editing.save()}
        >
          {t('save')}
        </Button>
      </Tooltip>
    </div>
  )
}

function Words({ work: { phase, dirty, savedAt } }: { work: ModelEditorWork }) {
  const t = useTranslations('models.editor')
  if (phase !== 'idle') return <SaveState value={{ state: phase }} />
  if (dirty) return <SaveState value={{ state: 'unsaved' }} />
  if (savedAt) return <SaveState value={{ state: 'saved', at: savedAt }} />
  return (
    <Text size="sm" c="dimmed" role="status">
      {t('unchanged')}
    </Text>
  )
}

interface ToolProps {
  label: string
  keys: string
  disabled: boolean
  run: () => void
  children: React.ReactNode
}

function Tool({ label, keys, disabled, run, children }: ToolProps) {
  return (
    <Tooltip label={`${label} (${shortcutText(keys)})`}>
      <ActionIcon
        variant="subtle"
        color="gray"
        c={disabled ? 'dimmed' : 'var(--mantine-color-text)'}
        size="lg"
        aria-label={label}
        aria-disabled={disabled}
        onClick={() => !disabled && run()}
      >
        {children}
      </ActionIcon>
    </Tooltip>
  )
}

/**
 * Handles the keys for undo (⌘Z, Ctrl+Z) and redo (with Shift; also ⌘Y, Ctrl+Y). In a text input, these keys apply to
 * its text instead.
 */
function useUndoKeys(undo: () => void, redo: () => void): void {
  const latest = useRef({ undo, redo })
  latest.current = { undo, redo }
  useEffect(() => {
    function onKeyDown(event: KeyboardEvent) {
      if (event.defaultPrevented || event.isComposing || event.altKey) return
      if (!(event.metaKey || event.ctrlKey) || isText(event.target)) return
      const key = event.key.toLowerCase()
      if (key !== 'z' && !(key === 'y' && !event.shiftKey)) return
      event.preventDefault()
      if (key === 'y' || event.shiftKey) latest.current.redo()
      else latest.current.undo()
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [])
}

function isText(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.matches('textarea, input:not([type="checkbox"], [type="radio"], [type="button"])'))
  )
}
