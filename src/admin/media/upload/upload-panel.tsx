import { ActionIcon, CloseButton, UnstyledButton } from '@mantine/core'
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { toastTime } from '#admin/lib/toast.ts'
import classes from './upload-panel.module.css'
import { UploadRows } from './upload-row.tsx'
import { forgetFinished, isFinished, isUploading, useUploads } from './uploads.ts'

/**
 * The uploads and their results, at the bottom right of every page. The panel closes some seconds after the last upload
 * has finished, unless an upload failed or its file is a duplicate.
 */
export function UploadPanel() {
  const t = useTranslations('assets.upload')
  const uploads = useUploads()
  const [folded, setFolded] = useState(false)
  const panel = useRef<HTMLElement>(null)
  const busy = isUploading(uploads)
  const shown = uploads.length > 0
  const failures = uploads.filter(({ state }) => state === 'refused' || state === 'failed').length
  const repeats = uploads.some(({ asset }) => asset?.duplicateOf)
  const asks = uploads.some((upload) => !isFinished(upload)) || failures > 0 || repeats
  useEffect(() => setFolded(!asks), [asks])
  useLeaveGuard(busy)
  useCloseAfterSuccess(panel, shown && !asks)
  useRoomBelowToasts(panel, shown)
  if (!shown) return null

  const left = uploads.filter((upload) => !isFinished(upload)).length
  const done = uploads.filter(({ state }) => state === 'done').length
  const heading = busy ? t('left', { count: left }) : t('finished', { done, failed: failures })
  const Fold = folded ? IconChevronUp : IconChevronDown
  return (
    <section ref={panel} className={classes.panel} aria-label={t('panel')}>
      <header className={classes.head}>
        <UnstyledButton
          className={classes.heading}
          aria-expanded={!folded}
          onClick={() => setFolded(!folded)}
        >
          <span role="status">{heading}</span>
        </UnstyledButton>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={folded ? t('unfold') : t('fold')}
          onClick={() => setFolded(!folded)}
        >
          <Fold size={16} />
        </ActionIcon>
        {!busy && <CloseButton aria-label={t('close')} onClick={forgetFinished} />}
      </header>
      {!folded && <UploadRows uploads={uploads} />}
    </section>
  )
}

/** Removes finished uploads after `toastTime`, or later if the panel contains the pointer or the focus. */
function useCloseAfterSuccess(panel: React.RefObject<HTMLElement | null>, when: boolean): void {
  useEffect(() => {
    if (!when) return
    const timer = setInterval(() => {
      const element = panel.current
      if (!element?.matches(':hover') && !element?.contains(document.activeElement)) forgetFinished()
    }, toastTime)
    return () => clearInterval(timer)
  }, [panel, when])
}

/** Makes the browser ask for confirmation before the tab is closed during uploads. */
function useLeaveGuard(when: boolean): void {
  useEffect(() => {
    if (!when) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [when])
}

/** Reserves space for the panel below the toasts (ui/toasts.module.css). */
function useRoomBelowToasts(panel: React.RefObject<HTMLElement | null>, shown: boolean): void {
  useLayoutEffect(() => {
    const element = panel.current
    if (!shown || !element) return
    const { style } = document.documentElement
    const tell = () => style.setProperty('--imori-below-toasts', `${element.offsetHeight + 8}px`)
    tell()
    const observer = new ResizeObserver(tell)
    observer.observe(element)
    return () => {
      observer.disconnect()
      style.removeProperty('--imori-below-toasts')
    }
  }, [panel, shown])
}
